import { fingerprintOf, type ChangePlan, type PlannedChange } from '../operator/plan/plan.ts'
import { applyPlan } from '../operator/plan/applyPlan.ts'
import { answer, type Made, offer, type Operator } from './change.ts'
import type { ExitCode, Io } from './command.ts'

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
    return answer({ ...told, outcome, because, said }, io)
  }
  const { changes: after, liveLease } = plan
  const name = fingerprintOf(plan, io.change.args)
  const apply = async (operator: Operator): Promise<Made> => makeTrue(plan, operator, io, follow)
  return offer({ ...told, after, name, liveLease, apply }, io)
}

/** @param receipt as the outside system would get it */
export function withReceipt(
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
  let made: Made | undefined
  const outcome = await record(async () => {
    const { force } = io.change
    const operator = { by, why, force, now: io.clock.now(), messenger: io.messenger() }
    const applied = await applyPlan(io.store(), plan, operator)
    if (applied.kind !== 'applied') return applied.because
    made = await follow()
    return made.outcome
  })
  return made ?? { outcome }
}

export function missingId(because: string, { table }: Io): string {
  return `Not found: ${because}. Check the table (${table}). Ids are consumer/ID or flow/KEY; lineclear show ID --scan finds a bare id.`
}
