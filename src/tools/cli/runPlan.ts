import { fingerprintOf } from '../operator/plan/fingerprint.ts'
import { applyPlan } from '../operator/plan/applyPlan.ts'
import { formatTime } from '../operator/text/humanTime.ts'
import type { PlannedChange, ChangePlan } from '../operator/plan/plan.ts'
import type { ExitCode, Io } from './command.ts'
import { audited, commandWithoutPayloads } from './audited.ts'
import { jsonTime, printJson } from './printJson.ts'
import { oneLine } from './table.ts'
import { optionWord, shellWord } from '../operator/text/commandLine.ts'

type PlanOutcome =
  | 'planned'
  | 'another plan'
  | 'applied'
  | 'live lease'
  | 'outdated'
  | FollowedOutcome
  | 'nothing'
  | 'impossible'
  | 'missing'

/** What became of an answer that the change has sent. */
type FollowedOutcome = 'taken' | 'refused' | 'conflict' | 'late' | 'superseded' | 'sent'

interface Followed {
  readonly outcome: FollowedOutcome
  /** Of a refusal. */
  readonly because?: string | undefined
  /** `uniquerequestid` of the message that was sent. */
  readonly message?: string | undefined
}

const EXIT: Readonly<Record<PlanOutcome, ExitCode>> = {
  planned: 0,
  applied: 0,
  nothing: 0,
  'another plan': 1,
  'live lease': 1,
  outdated: 1,
  taken: 0,
  sent: 3,
  refused: 1,
  conflict: 1,
  late: 1,
  superseded: 1,
  impossible: 1,
  missing: 4,
}

/**
 * Prints the plan and its fingerprint. `--apply` with that fingerprint makes the change, and writes a row of the audit before and
 * after it. A plan that is another one by now is printed, and not applied.
 * @param follow waits for what becomes of the change
 */
export async function runPlan(
  plan: ChangePlan & { readonly receipt?: string },
  io: Io,
  follow?: () => Promise<Followed>,
): Promise<ExitCode> {
  const result: PlanResult =
    plan.kind === 'change' ? await applyUnlessPreview(plan, io, follow) : { outcome: plan.kind }
  if (io.json) printJson(io, jsonOf(plan, result, io.change.args))
  else for (const line of linesOf(plan, result, io)) io.out(oneLine(line))
  return EXIT[result.outcome]
}

interface PlanResult {
  readonly outcome: PlanOutcome
  readonly because?: string | undefined
  readonly message?: string | undefined
}

async function applyUnlessPreview(
  plan: PlannedChange,
  io: Io,
  follow: (() => Promise<Followed>) | undefined,
): Promise<PlanResult> {
  const { apply, force, by, why = NO_REASON, args } = io.change
  if (!apply) return { outcome: 'planned' }
  const { action, id, liveLease = 0 } = plan
  const name = fingerprintOf(plan, args)
  const now = io.clock.now()
  if (io.change.plan !== name) return { outcome: 'another plan' }
  if (liveLease > now && !force) return { outcome: 'live lease' }
  const command = commandWithoutPayloads(args)
  let followed: Followed | undefined
  const outcome = await audited(
    io,
    { action, id, plan: name, by, why, command },
    async (): Promise<PlanOutcome> => {
      const operator = { by, why, force, now, messenger: io.messenger() }
      const applied = await applyPlan(io.store(), plan, operator)
      if (applied.kind !== 'applied') return applied.because
      followed = await follow?.()
      return followed?.outcome ?? 'applied'
    },
  )
  return { outcome, because: followed?.because, message: followed?.message }
}

const NO_REASON = 'no reason given'

function jsonOf(
  plan: ChangePlan & { readonly receipt?: string },
  { outcome, because, message }: PlanResult,
  args: readonly string[],
): Readonly<Record<string, unknown>> {
  const { action, id, standing, receipt = RECEIPTS.get(outcome) } = plan
  const details =
    plan.kind === 'change'
      ? {
          plan: fingerprintOf(plan, args),
          changes: plan.changes,
          liveLease: jsonTime(plan.liveLease),
          because,
          message,
        }
      : { because: plan.because }
  return { action, id, outcome, standing, ...details, receipt }
}

function linesOf(
  plan: ChangePlan & { readonly receipt?: string },
  result: PlanResult,
  io: Io,
): readonly string[] {
  const name = plan.receipt ?? RECEIPTS.get(result.outcome)
  const receipt = name === undefined ? [] : [`receipt: ${name}`]
  return [
    `${plan.action} ${plan.id}`,
    ...section('now', plan.standing),
    ...(plan.kind === 'change' ? section('then', plan.changes) : []),
    ...receipt,
    ...outcomeLines(plan, result, io),
  ]
}

function section(name: string, lines: readonly string[]): readonly string[] {
  return lines.map((line, index) => `  ${(index === 0 ? `${name}:` : '').padEnd(6)}${line}`)
}

/** As the outside system would get them. */
const RECEIPTS: ReadonlyMap<PlanOutcome, string> = new Map([
  ['taken', 'accepted'],
  ['conflict', 'conflict'],
  ['late', 'late'],
  ['superseded', 'superseded'],
])

function outcomeLines(plan: ChangePlan, result: PlanResult, io: Io): readonly string[] {
  const { outcome } = result
  const because = plan.kind === 'change' ? (result.because ?? '') : plan.because
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
        'Refused: nothing was changed. Wait until then; or give --force if you know that the attempt has ended.',
      ]
    case 'taken':
      return [`Done: the step has taken the answer. Recorded as done by ${io.change.by}.`]
    case 'sent':
      return [
        'Sent, and not taken yet: the function of the step is busy, paused or failing, or is of an older version. Look again with:',
        `  lineclear explain ${shellWord(plan.id)}`,
      ]
    case 'refused':
      return [
        `Refused by the step's function, and dead-lettered; the step still waits: ${because}`,
        'To answer it: run the command again with an answer that is accepted.',
        ...discardLine(result),
      ]
    case 'conflict':
      return [
        'Not accepted: another answer was counted for this external id. This one is dead-lettered as a conflict.',
        ...discardLine(result),
      ]
    case 'late':
      return [
        'Not accepted: the step was complete without this answer, or timed out first. It is dropped, or given to onLate.',
      ]
    case 'superseded':
      return ['Not accepted: the run has ended since. The answer is dropped.']
    case 'outdated':
      return [
        'Refused: the item has changed since the plan was made. Nothing was changed. Run the command again.',
      ]
  }
}

/** Otherwise `status` would show an answer that is no longer needed. */
function discardLine({ message }: PlanResult): readonly string[] {
  if (message === undefined) return []
  return [
    `Its dead letter is not needed any more: lineclear dlq discard --all ${optionWord('--id', message)}`,
  ]
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
