import { fingerprintOf } from '../operator/plan/fingerprint.ts'
import { applyPlan } from '../operator/plan/applyPlan.ts'
import { formatTime } from '../operator/text/humanTime.ts'
import type { PlannedChange, ChangePlan } from '../operator/plan/plan.ts'
import type { ExitCode, Io } from './command.ts'
import { audited, commandWithoutPayloads } from './audited.ts'
import { jsonTime, printJson } from './printJson.ts'
import { oneLine } from './table.ts'

type PlanOutcome =
  | 'planned'
  | 'another plan'
  | 'applied'
  | 'live lease'
  | 'outdated'
  | 'conflict'
  | 'nothing'
  | 'impossible'
  | 'missing'

const EXIT: Readonly<Record<PlanOutcome, ExitCode>> = {
  planned: 0,
  applied: 0,
  nothing: 0,
  'another plan': 1,
  'live lease': 1,
  outdated: 1,
  conflict: 1,
  impossible: 1,
  missing: 4,
}

/**
 * Prints the plan and its fingerprint. `--apply` with that fingerprint makes the change, and writes a row of the audit before and
 * after it. A plan that is another one by now is printed, and not applied.
 */
export async function runPlan(
  plan: ChangePlan & { readonly receipt?: string },
  io: Io,
): Promise<ExitCode> {
  const outcome = plan.kind === 'change' ? await applyUnlessPreview(plan, io) : plan.kind
  if (io.json) printJson(io, jsonOf(plan, outcome, io.change.args))
  else for (const line of linesOf(plan, outcome, io)) io.out(oneLine(line))
  return EXIT[outcome]
}

async function applyUnlessPreview(plan: PlannedChange, io: Io): Promise<PlanOutcome> {
  const { apply, force, by, why = NO_REASON, args } = io.change
  if (!apply) return 'planned'
  const { action, id, liveLease = 0 } = plan
  const name = fingerprintOf(plan, args)
  const now = io.clock.now()
  if (io.change.plan !== name) return 'another plan'
  if (liveLease > now && !force) return 'live lease'
  const command = commandWithoutPayloads(args)
  return audited(io, { action, id, plan: name, by, why, command }, async () => {
    const operator = { by, why, force, now, messenger: io.messenger() }
    const applied = await applyPlan(io.store(), plan, operator)
    return applied.kind === 'applied' ? 'applied' : applied.because
  })
}

const NO_REASON = 'no reason given'

function jsonOf(
  plan: ChangePlan & { readonly receipt?: string },
  outcome: PlanOutcome,
  args: readonly string[],
): Readonly<Record<string, unknown>> {
  const { action, id, standing, receipt } = plan
  const details =
    plan.kind === 'change'
      ? {
          plan: fingerprintOf(plan, args),
          changes: plan.changes,
          liveLease: jsonTime(plan.liveLease),
        }
      : { because: plan.because }
  return { action, id, outcome, standing, ...details, receipt }
}

function linesOf(
  plan: ChangePlan & { readonly receipt?: string },
  outcome: PlanOutcome,
  io: Io,
): readonly string[] {
  const receipt = plan.receipt === undefined ? [] : [`receipt: ${plan.receipt}`]
  return [
    `${plan.action} ${plan.id}`,
    ...section('now', plan.standing),
    ...(plan.kind === 'change' ? section('then', plan.changes) : []),
    ...receipt,
    ...outcomeLines(plan, outcome, io),
  ]
}

function section(name: string, lines: readonly string[]): readonly string[] {
  return lines.map((line, index) => `  ${(index === 0 ? `${name}:` : '').padEnd(6)}${line}`)
}

function outcomeLines(plan: ChangePlan, outcome: PlanOutcome, io: Io): readonly string[] {
  const because = plan.kind === 'change' ? '' : plan.because
  switch (outcome) {
    case 'planned':
      return [
        ...leaseWarning(plan, io),
        'Nothing was changed: this is the plan. To make the change:',
        `  ${applyCommand(plan, io)}`,
      ]
    case 'another plan':
      return [
        io.change.plan === undefined
          ? 'Nothing was changed: --apply expects the name of the plan that you have seen. This is the plan. To make the change:'
          : `Refused: nothing was changed. This is not the plan ${io.change.plan}: its item has changed, or the command was another one. To make the change that is shown here:`,
        `  ${applyCommand(plan, io)}`,
      ]
    case 'applied':
      return [`Done, and recorded as done by ${io.change.by}.`]
    case 'nothing':
      return [`Nothing to do: ${because}.`]
    case 'impossible':
      return [`Not possible: ${because}. Nothing was changed.`]
    case 'missing':
      return [
        `Not found: ${because}. Check the table (${io.table}). Ids are consumer/ID or flow/KEY; lineclear show ID --scan finds a bare id.`,
      ]
    case 'live lease':
      return [
        ...leaseWarning(plan, io),
        'Refused: nothing was changed. Wait until then; or give --force if you know that the attempt is dead.',
      ]
    case 'conflict':
      return [
        'Conflict: another answer, or the timeout, was counted at the same time, and the flow continues with that one. The message',
        'with this answer was sent, and is not used: it is dead-lettered as a conflict, or dropped as late.',
      ]
    case 'outdated':
      return [
        'Refused: the item has changed since the plan was made. Nothing was changed. Run the command again.',
      ]
  }
}

function leaseWarning(plan: ChangePlan, io: Io): readonly string[] {
  if (plan.kind !== 'change' || plan.liveLease === undefined) return []
  const until = formatTime(plan.liveLease, io.clock.now())
  return [`An attempt may be running: its lease ends ${until}.`]
}

function applyCommand(plan: ChangePlan, io: Io): string {
  const needsForce = plan.kind === 'change' && plan.liveLease !== undefined && !io.change.force
  const force = needsForce ? ' --force' : ''
  const why = io.change.why === undefined ? ' --why "…"' : ''
  const name = plan.kind === 'change' ? ` ${fingerprintOf(plan, io.change.args)}` : ''
  return `${io.change.line} --apply${name}${why}${force}`
}
