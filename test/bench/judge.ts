import type { Goal } from './goals.ts'
import type { Figures, Table } from './measured.ts'

/** A goal, and what this run has seen of it. */
export interface Judged extends Goal {
  readonly seen: number | undefined
  readonly met: boolean
}

/** A goal whose figure was not measured is missed. */
export function judge(goals: readonly Goal[], figures: Figures): readonly Judged[] {
  return goals.map((goal) => {
    const seen = figures[goal.figure]
    return { ...goal, seen, met: seen !== undefined && seen <= goal.atMost }
  })
}

export function tableOfGoals(judged: readonly Judged[]): Table {
  const met = judged.filter((each) => each.met)
  return {
    title: `Goals: ${met.length} of ${judged.length} are met`,
    head: ['figure', 'goal', 'seen', ''],
    rows: judged.map(({ figure, atMost, seen, met: isMet }) => [
      figure,
      `≤ ${atMost}`,
      seen ?? 'not measured',
      isMet ? 'met' : 'missed',
    ]),
  }
}
