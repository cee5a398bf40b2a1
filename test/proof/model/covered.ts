/**
 * How many schedules a search stands for that goes no further where another one has been: each state knows how many lead on
 * from it. Depth first, so what is met again is counted to its end.
 */
export interface Covered {
  /** A schedule begins, whose first choices are those of the one before. */
  begin(): void
  /** After this many choices it reaches a state. True: another schedule has continued from here. */
  meets(state: string, choices: number): boolean
  /** It ended here, and all states on its way lead to one more end. */
  ends(): void
  total(): number
}

interface Met {
  readonly state: string
  readonly choices: number
}

export function openCovered(): Covered {
  const ends = new Map<string, number>()
  const way: Met[] = []
  let total = 0
  let isOnOldWay = true

  function add(more: number): void {
    total += more
    for (const { state } of way) ends.set(state, (ends.get(state) ?? 0) + more)
  }

  return {
    begin() {
      isOnOldWay = true
    },
    meets(state, choices) {
      if (isOnOldWay) leave(way, choices)
      isOnOldWay = false
      const known = ends.get(state)
      if (known === undefined) {
        ends.set(state, 0)
        way.push({ state, choices })
        return false
      }
      add(known)
      return true
    },
    ends() {
      add(1)
    },
    total: () => total,
  }
}

/** The states after this choice are those of the schedule before, not of this one. */
function leave(way: Met[], choices: number): void {
  for (let last = way.at(-1); last !== undefined && last.choices >= choices; last = way.at(-1)) {
    way.pop()
  }
}
