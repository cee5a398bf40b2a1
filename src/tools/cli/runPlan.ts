import {
  planFingerprint,
  type ChangePlan,
  type PlannedChange,
  applyPlan,
} from '../operator/plan/applyPlan.ts'
import { printChange, type Made, offer, type Operator } from './change.ts'
import type { ExitCode, Io } from './command.ts'
import { withProgress } from './terminal.ts'
import { optionWord, shellWord } from '../operator/text/commandLine.ts'
import { type AnswerFate, type CompletePlan, followAnswer } from '../operator/plan/planAwaits.ts'

/**
 * Offers the change of one item.
 * @param follow waits for what becomes of the change
 */
export async function runPlan(
  plan: ChangePlan & { readonly receipt?: string },
  io: Io,
  follow?: () => Promise<Made>,
): Promise<ExitCode> {
  const { action, id, standing: now, receipt } = plan
  const told = { action, id, now, ...withReceipt(receipt) }
  if (plan.kind !== 'change') {
    const { kind: outcome, because } = plan
    const said = outcome === 'missing' ? missingId(because, io) : undefined
    return printChange({ ...told, outcome, because, said }, io)
  }
  const { changes: after, liveLease } = plan
  const name = planFingerprint(plan, io.change.args)
  const apply = async (operator: Operator): Promise<Made> => makeTrue(plan, operator, io, follow)
  return offer({ ...told, after, name, liveLease, apply }, io)
}

/** @param receipt as the outside system would get it */
function withReceipt(
  receipt: string | undefined,
  facts: object = {},
): Pick<Made, 'lines' | 'facts'> {
  const lines = receipt === undefined ? [] : [`receipt: ${receipt}`]
  return { lines, facts: { ...facts, receipt } }
}

async function makeTrue(
  plan: PlannedChange,
  { by, why, record }: Operator,
  io: Io,
  follow: () => Promise<Made> = async () => ({ outcome: 'applied' }),
): Promise<Made> {
  return record(async () => {
    const { force } = io.change
    const operator = { by, why, force, now: io.clock.now(), messenger: io.messenger() }
    const applied = await applyPlan(io.store(), plan, operator)
    const made = applied.kind === 'applied' ? await follow() : { outcome: applied.because }
    return [made.outcome, made]
  })
}

export function missingId(because: string, { table }: Io): string {
  return `Not found: ${because}. Check the table (${table}). Ids are consumer/ID or flow/KEY; lineclear explain ID --scan finds a bare id.`
}

/** What has become of the answer that was sent, or that it is still on its way after `wait` milliseconds. */
export async function followedAnswer(
  { sent, id }: Extract<CompletePlan, { readonly kind: 'change' }>,
  wait: number,
  io: Io,
): Promise<Made> {
  const what = 'waiting for the function of the step'
  const fate = await withProgress(io, what, async ({ at }) =>
    followAnswer(io.store(), io.clock, sent, wait, (waited) => at(waited, wait)),
  )
  return madeOfAnswer(fate, sent.id, id, io)
}

/** Otherwise `status` would show an answer that is no longer needed. */
const NOT_NEEDED = 'Its dead letter is not needed any more:'

function madeOfAnswer(
  { kind: outcome, why }: AnswerFate,
  message: string,
  of: string,
  { change }: Io,
): Made {
  const said: Readonly<Record<AnswerFate['kind'], string>> = {
    taken: `Done: the step has taken the answer. Recorded as done by ${change.by}.`,
    sent: 'Sent, and not taken yet: the function of the step is busy, paused or failing, or is of an older version. Look again with:',
    refused: `Refused by the step's function, and dead-lettered; the step still waits: ${why ?? ''} To answer it: run the command again with an answer that is accepted. ${NOT_NEEDED}`,
    conflict: `Not accepted: another answer was counted for this external id. This one is dead-lettered as a conflict. ${NOT_NEEDED}`,
    late: 'Not accepted: the step was complete without this answer, or timed out first. It is dropped, or given to onLate.',
    superseded: 'Not accepted: the run has ended since. The answer is dropped.',
  }
  const discard = `lineclear dlq discard --all ${optionWord('--id', message)}`
  const sent = `lineclear explain ${shellWord(of)}`
  const next: OfSome = { sent, refused: discard, conflict: discard }
  const told = withReceipt(RECEIPTS[outcome], { message })
  return { outcome, because: why, ...told, said: said[outcome], next: next[outcome] }
}

type OfSome = Readonly<Partial<Record<AnswerFate['kind'], string>>>

/** As the outside system would get them. */
const RECEIPTS: OfSome = {
  taken: 'accepted',
  conflict: 'conflict',
  late: 'late',
  superseded: 'superseded',
}
