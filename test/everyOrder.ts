/** Lets calls of several actors through, one at a time, in an order that is chosen. */
interface Stepper {
  /** To be awaited before each call of this actor. */
  readonly gateOf: (who: number) => () => Promise<void>
  readonly end: (who: number) => void
  readonly run: (choose: Choose, actors: number) => Promise<void>
}

/** @param ready the actors that wait, in ascending order. @returns the one that goes on */
export type Choose = (ready: readonly number[]) => number

export function openStepper(): Stepper {
  const waiting = new Map<number, () => void>()
  const ended = new Set<number>()
  return {
    gateOf: (who) => () => new Promise<void>((go) => void waiting.set(who, go)),
    end: (who) => void ended.add(who),
    async run(choose, actors) {
      while (ended.size < actors) {
        await new Promise(setImmediate)
        const ready = [...waiting.keys()].toSorted((one, other) => one - other)
        const who = ready.length === 0 ? undefined : choose(ready)
        if (who === undefined) continue
        const go = waiting.get(who)
        waiting.delete(who)
        go?.()
      }
    },
  }
}

/** Depth first through all orders of the calls. @returns how each of them ended, once, and the number of orders */
export async function everyOrder(
  play: (choose: Choose) => Promise<string>,
): Promise<{ readonly ends: readonly string[]; readonly schedules: number }> {
  const ends = new Set<string>()
  let schedules = 0
  let prefix: number[] = []
  for (;;) {
    const taken: { at: number; of: number }[] = []
    const end = await play((ready) => {
      const at = prefix[taken.length] ?? 0
      taken.push({ at, of: ready.length })
      return ready[at] ?? 0
    })
    ends.add(end)
    schedules += 1
    while (taken.length > 0 && (taken.at(-1)?.at ?? 0) + 1 >= (taken.at(-1)?.of ?? 0)) taken.pop()
    const last = taken.pop()
    if (last === undefined) return { ends: [...ends].toSorted(), schedules }
    prefix = [...taken.map(({ at }) => at), last.at + 1]
  }
}
