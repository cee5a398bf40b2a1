import { optionsBefore } from '../console/form.ts'
import { auditedOn } from '../../library/entries/sweeper/audit/audited.ts'
import { formatTime } from '../operator/text/humanTime.ts'
import type { ExitCode, Io } from './command.ts'
import { commandWithoutPayloads } from './payloads.ts'
import { jsonTime, printJson, oneLine } from './table.ts'

/**
 * How a change ended, in every command. `written`: the payload of a dead letter is in a file. `incomplete`: some of it could
 * not be changed, or not all could be looked at. `taken`: the step has counted the answer that was sent to it. `sent`: not yet.
 */
export type ChangeOutcome =
  | 'planned'
  | 'another plan'
  | 'live lease'
  | 'applied'
  | 'nothing'
  | 'missing'
  | 'impossible'
  | 'refused'
  | 'outdated'
  | 'incomplete'
  | 'paused'
  | 'stopped'
  | 'failed again'
  | 'running elsewhere'
  | 'written'
  | 'taken'
  | 'sent'
  | 'conflict'
  | 'late'
  | 'superseded'

/** All others end with 1. */
const EXIT: Readonly<Partial<Record<ChangeOutcome, ExitCode>>> = {
  planned: 0,
  applied: 0,
  nothing: 0,
  written: 0,
  taken: 0,
  sent: 3,
  missing: 4,
}

/** What a person and a program learn of a change, before it is made or after. */
export interface Told {
  readonly action: string
  /** What is changed: an item, a queue, a group. */
  readonly id: string
  /** The state now, and the state after it. */
  readonly now?: readonly string[] | undefined
  readonly after?: readonly string[] | undefined
  /** All else that a person should know of it. */
  readonly lines?: readonly string[] | undefined
  /** Not all of it can be changed, or was. */
  readonly incomplete?: boolean | undefined
  /** For programs only. */
  readonly facts?: object | undefined
}

export interface Made extends Partial<Told> {
  readonly outcome: ChangeOutcome
  /** Part of a sentence. */
  readonly because?: string | undefined
  /** Default: what the outcome means. */
  readonly said?: string | undefined
  readonly next?: string | undefined
}

interface Plan extends Told {
  readonly name: string
  /** Until when an attempt may run, epoch milliseconds: only `--force` takes it over. */
  readonly liveLease?: number | undefined
}

export interface Change extends Plan {
  apply(operator: Operator): Promise<Made>
}

export interface Operator {
  readonly by: string
  readonly why: string
  /**
   * Makes a change between two writes of a row of the audit.
   * @param change returns what the row says of it, and what the caller gets
   * @param id what is changed. Default: of the plan
   */
  record<T>(change: () => Promise<readonly [result: string, T]>, id?: string): Promise<T>
}

/** Shows a plan. `--apply` with its name makes it true; a plan that has another name by now is shown, and not applied. */
export async function offer(change: Change, io: Io): Promise<ExitCode> {
  const { name, liveLease = 0 } = change
  const { apply, plan, force } = io.change
  if (!apply || plan !== name) return showPlan(change, io)
  if (liveLease > io.clock.now() && !force)
    return printChange({ ...change, outcome: 'live lease' }, io)
  return applyChange(change, io)
}

export function showPlan(plan: Plan, io: Io): ExitCode {
  const { liveLease, name } = plan
  const force = liveLease !== undefined && !io.change.force ? ['--force'] : []
  const why = io.change.why === undefined ? ['--why "…"'] : []
  const next = lineToApply(name, io, ...why, ...force)
  return printChange({ ...plan, outcome: io.change.apply ? 'another plan' : 'planned', next }, io)
}

/** The command as it was typed, for the plan of that name. */
export function lineToApply(name: string, { change }: Io, ...more: readonly string[]): string {
  return optionsBefore(change.words, [`--apply ${name}`, ...more]).join(' ')
}

/** @throws what the change throws; its row of the audit then says that it failed */
export async function applyChange({ apply, ...plan }: Change, io: Io): Promise<ExitCode> {
  const made = await apply(operatorFor(plan, io))
  return printChange({ ...plan, liveLease: undefined, ...made }, io)
}

export function operatorFor(
  { action, id: whole, name }: Pick<Plan, 'action' | 'id' | 'name'>,
  io: Io,
): Operator {
  const { by, why = 'no reason given', args } = io.change
  const command = commandWithoutPayloads(args)
  async function record<T>(
    change: () => Promise<readonly [string, T]>,
    id: string = whole,
  ): Promise<T> {
    const changed = Promise.withResolvers<T>()
    const entry = { action, id, plan: name, by, why, command }
    await auditedOn({ store: io.store(), clock: io.clock }, entry, async () => {
      const [result, made] = await change()
      changed.resolve(made)
      return result
    })
    return changed.promise
  }
  return { by, why, record }
}

type Answer = Told & Made & Partial<Plan>

/** Prints what has become of a change: for a person or, with `--json`, for a program. */
export function printChange(given: Answer, io: Io): ExitCode {
  const { action, id, outcome, name: plan, now, after, lines = [], incomplete = false } = given
  const { because, next, facts, liveLease } = given
  const said = given.said ?? saidOf(given, io)
  if (io.json) {
    const state = { now, after, lines, liveLease: jsonTime(liveLease) }
    printJson(io, { action, id, outcome, ...facts, plan, ...state, because, said, next })
  } else {
    const typed = outcome === 'planned' || outcome === 'another plan'
    const end = next === undefined ? [] : [`  ${typed ? next : io.here(next)}`]
    const rest =
      outcome === 'missing' || outcome === 'nothing'
        ? [io.here(said), ...end, ...lines.map(io.here)]
        : [...lines.map(io.here), ...leaseWarning(given, io), io.here(said), ...end]
    const then = section('then', after?.map(io.here))
    for (const line of [`${action} ${id}`, ...section('now', now), ...then, ...rest]) {
      io.out(oneLine(line))
    }
  }
  const exit = EXIT[outcome] ?? 1
  return incomplete && exit === 0 ? 1 : exit
}

function section(name: string, lines: readonly string[] = []): readonly string[] {
  return lines.map((line, at) => `  ${(at === 0 ? `${name}:` : '').padEnd(6)}${line}`)
}

function leaseWarning({ liveLease, outcome }: Answer, io: Io): readonly string[] {
  if (liveLease === undefined || outcome === 'another plan') return []
  return [`An attempt may be running: its lease ends ${formatTime(liveLease, io.clock.now())}.`]
}

function saidOf({ outcome, because = '' }: Answer, { change: { by, plan } }: Io): string {
  const texts: Readonly<Partial<Record<ChangeOutcome, string>>> = {
    planned: 'Nothing was changed: this is the plan. To make the change:',
    'another plan':
      plan === undefined
        ? 'Nothing was changed: --apply expects the name of the plan that you have seen. This is the plan. To make the change:'
        : `Refused: nothing was changed. This is not the plan ${plan}: what it changes has changed since, or the command was another one. To make the change that is shown here:`,
    'live lease':
      'Refused: nothing was changed. Wait until then; or give --force if you know that the attempt has ended.',
    outdated:
      'Refused: the item has changed since the plan was made. Nothing was changed. Run the command again.',
    impossible: `Not possible: ${because}. Nothing was changed.`,
    refused: `Refused: nothing was changed. ${because}`,
    nothing: `Nothing to do: ${because}.`,
    missing: `Not found: ${because}.`,
    'failed again': `Recorded as done by ${by}, but some of them have not completed.`,
    incomplete: 'Not all of it was done.',
    paused: 'It was paused: the rest stays.',
    stopped: 'It was stopped: the rest stays.',
  }
  return texts[outcome] ?? `Done, and recorded as done by ${by}.`
}
