import type { Advice } from '../../../operator/item/advice.ts'

/** One step with all that is said of it; without a step only something to know. */
interface StepRow {
  readonly step: Advice | undefined
  readonly when: string | undefined
  readonly notes: readonly string[]
}

/** The usual step first. What goes on with the sentence of a step stands beside it. */
export function stepRows(advice: readonly Advice[]): readonly StepRow[] {
  const rows: StepRow[] = []
  for (const each of advice) {
    const { action, when, doing, joined } = each
    const notes = doing === undefined ? [] : [doing]
    const last = rows.at(-1)
    if (action === undefined && joined !== undefined && last !== undefined) {
      rows[rows.length - 1] = { ...last, notes: [...last.notes, ...notes] }
    } else rows.push({ step: action === undefined ? undefined : each, when, notes })
  }
  const isCure = ({ step }: StepRow): boolean => step?.cure === true
  return [...rows.filter(isCure), ...rows.filter((row) => !isCure(row))]
}
