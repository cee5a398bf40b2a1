import {
  decidePause,
  type PauseVerdict,
  findMappings,
  type FoundMapping,
} from '../operator/pause/findMappings.ts'
import { listPauses, loadPauses } from '../../library/entries/sweeper/pause/listPauses.ts'
import { duration, flag, kind, type Kind } from '../commands/kinds.ts'
import type { GivenOptions } from '../commands/row.ts'
import { type Command, command, type ExitCode, type Io } from './command.ts'
import {
  changePauses,
  endText,
  lambdaOf,
  MISSING,
  PATIENCE,
  pauseJson,
  pauseLine,
  PAUSE_SELECTION,
  pauseSelectionOf,
  withQueueArn,
} from './pauseOptions.ts'
import { printJson } from './table.ts'
import { UsageError } from './usageError.ts'
import { keptFor } from '../operator/aws/queues.ts'
import { sortableId } from '../../library/base/sortableId.ts'
import { applyPause } from '../../library/entries/sweeper/pause/applyPause.ts'
import type { MappingClient } from '../operator/pause/findMappings.ts'
import { type Pause, queueName, subjectOf } from '../../library/entries/sweeper/pause/pauseRow.ts'
import { formatDuration } from '../operator/text/humanTime.ts'
import { planName } from '../operator/text/planName.ts'
import { printChange, type Made, offer, type Operator, type Told } from './change.ts'

/** `until` of a pause that begins now. */
type End = (now: number) => number | undefined

const TIME = 'a time to come in ISO 8601 with its zone, such as 2026-01-31T12:00Z'
/** Epoch milliseconds. Pages give times in UTC. */
const time: Kind<number> = kind(
  'TIME',
  (text, refuse) => {
    const at = /^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : Number.NaN
    return Number.isNaN(at) ? refuse(TIME) : at
  },
  (text) =>
    /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?Z$/.test(text)
      ? undefined
      : 'a time such as 2026-01-31T12:00Z',
)

const ENDS = {
  for: { kind: duration, help: 'it ends this long after it was applied: 30m, 2h', page: true },
  until: { kind: time, help: 'it ends then: ISO 8601, such as 2026-01-31T12:00Z', page: true },
  noEnd: { kind: flag, help: 'only lineclear resume ends it', page: true },
} as const

export const pause: Command = command({
  words: 'pause',
  summary:
    'stop consumers until a time, by disabling their event source mappings; without options: what is paused',
  about: [
    'Messages stay on their queues, and count no receive and no attempt. Batches that Lambda has received already still run. Only what is enabled now is paused. At the end the sweeper resumes it, if it has the option lambda and the permission; otherwise lineclear sweep --apply, or resume. --force: although it lasts longer than a queue keeps its messages; SQS deletes what is older.',
  ],
  arguments: {},
  options: { ...PAUSE_SELECTION, ...ENDS },
  examples: ['pause --dependency bank --for 2h', 'pause'],
  route: 'pauses',
  changes: 'plan',
  run: async (given, io) => {
    const selection = pauseSelectionOf(given)
    if (selection === undefined) return list(io)
    const end = endOf(given, io.clock.now())
    const lambda = await lambdaOf(io)
    const found = await findMappings(lambda, await withQueueArn(selection, io))
    const seen = await loadPauses(
      io.store(),
      found.map(({ mapping }) => mapping),
    )
    const steps = found.map((mapping, at): PauseStep => {
      const before = seen[at]?.pause
      return { mapping, before, lastId: seen[at]?.lastId, verdict: decidePause(mapping, before) }
    })
    const id = `${selection.by} ${selection.value}`
    return runPausePlan(steps, { id, end }, lambda, io)
  },
})

function endOf(given: GivenOptions<typeof ENDS>, now: number): End {
  const { for: lasts, until, noEnd } = given
  const ends = [lasts, until, noEnd || undefined].filter((each) => each !== undefined)
  if (ends.length !== 1) {
    throw new UsageError(
      `expected one of --for TIME, --until TIME and --no-end; got ${ends.length === 0 ? 'none' : ends.length}`,
    )
  }
  if (lasts === 0) throw new UsageError('--for: expected a time to come, such as 30m; got no time')
  if (lasts !== undefined) return (from) => from + lasts
  if (until !== undefined && until <= now) throw new UsageError(`--until: expected ${TIME}`)
  return () => until
}

async function list(io: Io): Promise<ExitCode> {
  if (io.change.args.length > 1) {
    throw new UsageError(`expected one of --${Object.keys(PAUSE_SELECTION).join(', --')}; got none`)
  }
  const pauses = await listPauses(io.store())
  if (io.json) printJson(io, { pauses: pauses.map(pauseJson) })
  else if (pauses.length === 0) io.out('Nothing is paused.')
  else for (const each of pauses) io.out(pauseLine(each, io))
  return 0
}

interface PauseStep {
  readonly mapping: FoundMapping
  readonly before: Pause | undefined
  /** Id of the last pause of the mapping, also of one that has ended. */
  readonly lastId: string | undefined
  readonly verdict: PauseVerdict
}

async function runPausePlan(
  steps: readonly PauseStep[],
  { id, end }: { readonly id: string; readonly end: End },
  lambda: MappingClient,
  io: Io,
): Promise<ExitCode> {
  const now = io.clock.now()
  const until = end(now)
  const work = steps.filter(({ verdict: { kind } }) => kind === 'pause' || kind === 'change')
  const kept = await retentions(steps, io)
  const notes = work.length === 0 ? [] : notesOf(work, until, now, kept)
  const told: Told = {
    action: 'pause',
    id,
    lines: [...steps.map(stepLine), ...notes],
    facts: { mappings: steps.map(stepJson) },
  }
  const refusal = refusalOf(steps, work, { until, now, kept }, io)
  if (refusal !== undefined) return printChange({ ...told, ...refusal }, io)
  const apply = async (operator: Operator): Promise<Made> =>
    pauseAll(work, end, lambda, operator, io)
  return offer({ ...told, name: nameOf(steps, io), apply }, io)
}

/** Changes with each mapping and each pause: a plan that was applied and resumed is not the plan of the next incident. */
function nameOf(steps: readonly PauseStep[], { change }: Io): string {
  const seen = steps.map(({ mapping, before, lastId, verdict }) => [
    mapping.mapping,
    verdict.kind,
    lastId,
    before?.state,
  ])
  return planName([change.args, seen])
}

/** How long a queue keeps messages, milliseconds, by its ARN. undefined: it could not be read. */
type KeptTimes = ReadonlyMap<string, number | undefined>

function refusalOf(
  steps: readonly PauseStep[],
  work: readonly PauseStep[],
  { until, now, kept }: { until: number | undefined; now: number; kept: KeptTimes },
  { change }: Io,
): Made | undefined {
  if (steps.length === 0) return MISSING
  if (steps.some(({ verdict }) => verdict.kind === 'unsettled')) {
    const because = 'Lambda is changing a mapping: run the command again in a minute.'
    return { outcome: 'refused', because }
  }
  if (work.length === 0) {
    return { outcome: 'nothing', because: 'no enabled mapping of an SQS queue matches' }
  }
  if (until === undefined || change.force) return undefined
  const short = work.find(({ mapping }) => until - now >= (kept.get(mapping.queue) ?? Infinity))
  if (short === undefined) return undefined
  const queue = queueName(short.mapping.queue)
  const because = `The pause would last longer than ${queue} keeps messages: SQS would delete them. Give it an earlier end, a longer MessageRetentionPeriod, or --force.`
  return { outcome: 'refused', because }
}

async function pauseAll(
  work: readonly PauseStep[],
  end: End,
  lambda: MappingClient,
  operator: Operator,
  io: Io,
): Promise<Made> {
  const pausing = { store: io.store(), lambda, clock: io.clock, patience: PATIENCE }
  const all = work.map(({ mapping, before }) => ({ ...mapping, before }))
  const made = await changePauses(all, operator, async ({ before, ...mapping }) => {
    const pause = pauseOf(mapping, end, operator, io.clock.now())
    return [await applyPause(pause, before, pausing), `paused ${endText(pause.until, pause.since)}`]
  })
  if (made.outcome !== 'applied') return made
  const said = `Done, and recorded as done by ${operator.by}. To end it: lineclear resume, with the same selection.`
  return { ...made, said }
}

function pauseOf(
  { mapping, queue, function: name, names }: FoundMapping,
  end: End,
  { by, why }: Operator,
  since: number,
): Pause {
  const common = { mapping, queue, function: name, names, by, why, since }
  return { id: sortableId(since), state: 'pausing', ...common, until: end(since) }
}

async function retentions(steps: readonly PauseStep[], io: Io): Promise<KeptTimes> {
  const queues = [...new Set(steps.map(({ mapping }) => mapping.queue))]
  const read = async (queue: string) => [queue, await keptFor(queue, io.sqs())] as const
  return new Map(await Promise.all(queues.map(read)))
}

function stepLine({ mapping, verdict }: PauseStep): string {
  const what = { pause: 'pause', change: 'pause', leave: 'leave', unsettled: 'wait' }[verdict.kind]
  return `${what.padEnd(6)} ${subjectOf(mapping)}  ${mapping.mapping}: ${verdict.because}`
}

function stepJson({ mapping: { names, ...mapping }, before, verdict }: PauseStep): object {
  return {
    ...mapping,
    ...names,
    ...verdict,
    paused: before === undefined ? null : pauseJson(before),
  }
}

/** What the pause means for what waits. */
function notesOf(
  work: readonly PauseStep[],
  until: number | undefined,
  now: number,
  kept: KeptTimes,
): readonly string[] {
  const queues = [...new Set(work.map(({ mapping }) => mapping.queue))]
  return [
    `paused ${endText(until, now)}. Batches that Lambda has received already still run.`,
    ...queues.map((queue) => {
      const time = kept.get(queue)
      return time === undefined
        ? `${queueName(queue)}: how long it keeps messages could not be read (sqs:GetQueueAttributes). SQS deletes what is older.`
        : `${queueName(queue)}: SQS deletes messages ${formatDuration(time)} after they were sent.`
    }),
    'Requests age meanwhile: retry.maxAge and retention of a consumer, giveUpAfter of a flow (its run ends, and its messages become stale),',
    'and the timeouts of awaited steps. Delayed messages are sent on time, and wait on the queue.',
  ]
}
