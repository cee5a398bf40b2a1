import { keptFor } from '../../queue/keptFor.ts'
import { sortableId } from '../../sortableId.ts'
import { applyPause } from '../operator/pause/applyPause.ts'
import { decidePause, type PauseVerdict } from '../operator/pause/decidePause.ts'
import { findMappings, type FoundMapping } from '../operator/pause/findMappings.ts'
import { listPauses, loadPauses } from '../operator/pause/listPauses.ts'
import type { MappingClient } from '../operator/pause/mappingClient.ts'
import type { Pause } from '../operator/pause/pauseRow.ts'
import { subjectOf } from '../operator/pause/subject.ts'
import { formatDuration } from '../operator/text/humanTime.ts'
import { planName } from '../operator/text/planName.ts'
import { audited, commandWithoutPayloads } from './audited.ts'
import type { CliCommand, ExitCode, Io } from './command.ts'
import { lambdaOf } from './lambdaOf.ts'
import { endOf, pauseJson, pauseLine, planEnd, reportPause, SAID } from './pauseReport.ts'
import { readSelection, SELECTION, withQueueArn } from './pauseSelection.ts'
import { printJson } from './printJson.ts'
import { positionals, readArgs, readDuration } from './readArgs.ts'
import { UsageError } from './usageError.ts'

export const pause: CliCommand = {
  name: 'pause',
  summary:
    'stop consumers by disabling their event source mappings, until a time; list what is paused',
  usage: `lineclear pause SELECTION (--for AGE | --until TIME | --no-end)
lineclear pause

  Messages stay on their queues, and count no receive and no attempt. Batches that Lambda has received already still run. Without
  a selection it lists what is paused.

  --mapping UUID      one event source mapping
  --queue QUEUE       the mappings of a queue: its name, URL or ARN
  --function NAME     the mappings of a function: its name or ARN
  --consumer NAME     of the functions with the tag lineclear:consumer
  --flow NAME         of the functions with the tag lineclear:flow: all stages
  --dependency NAME   of the functions with the tag lineclear:dependency, which names one or more, separated by spaces

  --for AGE           it ends so long after it was applied: 30m, 2h
  --until TIME        it ends then: ISO 8601, such as 2026-01-31T12:00Z
  --no-end            only lineclear resume ends it
  --force             although it lasts longer than a queue keeps its messages: SQS deletes what is older

  At the end the sweeper resumes it, if it has the option lambda and the permission; otherwise lineclear sweep --apply, or resume.
  Only what is enabled now is paused. Shows the plan; --apply PLAN makes the change.`,
  run: async (args, io) => {
    const { values, positionals: given } = readArgs(args, {
      ...SELECTION,
      for: { type: 'string' },
      until: { type: 'string' },
      'no-end': { type: 'boolean' },
    })
    positionals(given, [])
    const selection = readSelection(values)
    if (selection === undefined) return list(args, io)
    const end = readEnd(values, io.clock.now())
    const lambda = await lambdaOf(io)
    const found = await findMappings(lambda, await withQueueArn(selection, io))
    const seen = await loadPauses(
      io.store(),
      found.map(({ mapping }) => mapping),
    )
    const steps = found.map((mapping, at): Step => {
      const before = seen[at]
      return { mapping, before, verdict: decidePause(mapping, before) }
    })
    return plan({ steps, end, kept: await retentions(steps, io) }, lambda, io)
  },
}

async function list(args: readonly string[], io: Io): Promise<ExitCode> {
  if (args.length > 0) {
    throw new UsageError(`expected one of --${Object.keys(SELECTION).join(', --')}; got none`)
  }
  const pauses = await listPauses(io.store())
  const now = io.clock.now()
  if (io.json) printJson(io, { pauses: pauses.map(pauseJson) })
  else if (pauses.length === 0) io.out('Nothing is paused.')
  else for (const each of pauses) io.out(pauseLine(each, now))
  return 0
}

interface Step {
  readonly mapping: FoundMapping
  readonly before: Pause | undefined
  readonly verdict: PauseVerdict
}

/** `until` of a pause that begins now. */
type End = (now: number) => number | undefined

function readEnd(
  values: {
    readonly for?: string | undefined
    readonly until?: string | undefined
    readonly 'no-end'?: boolean | undefined
  },
  now: number,
): End {
  const given = [values.for, values.until, values['no-end']].filter((each) => each !== undefined)
  if (given.length !== 1) {
    throw new UsageError(
      `expected one of --for AGE, --until TIME and --no-end; got ${given.length === 0 ? 'none' : given.length}`,
    )
  }
  const lasts = readDuration('--for', values.for)
  if (lasts !== undefined) return (from) => from + lasts
  if (values.until === undefined) return () => undefined
  const time = /^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(values.until)
    ? Date.parse(values.until)
    : Number.NaN
  if (time > now) return () => time
  throw new UsageError(
    `--until: expected a time to come in ISO 8601 with its zone, such as 2026-01-31T12:00Z; got ${JSON.stringify(values.until)}`,
  )
}

interface Plan {
  readonly steps: readonly Step[]
  readonly end: End
  /** How long a queue keeps messages, milliseconds, by its ARN. undefined: it could not be read. */
  readonly kept: ReadonlyMap<string, number | undefined>
}

async function plan(planned: Plan, lambda: MappingClient, io: Io): Promise<ExitCode> {
  const { steps, end, kept } = planned
  const now = io.clock.now()
  const until = end(now)
  const work = steps.filter(({ verdict: { kind } }) => kind === 'pause' || kind === 'change')
  const name = planName([
    io.change.args,
    steps.map(({ mapping, before, verdict }) => [
      mapping.mapping,
      verdict.kind,
      before?.id,
      before?.state,
    ]),
  ])
  const common = { action: 'pause', plan: name } as const
  const mappings = steps.map(stepJson)
  const lines = [
    ...steps.map(stepLine),
    ...(work.length === 0 ? [] : notes(work, until, now, kept)),
  ]
  const report = { ...common, mappings, lines }
  const unsettled = steps.some(({ verdict }) => verdict.kind === 'unsettled')
  if (unsettled) {
    const again =
      'Refused: nothing was changed. Lambda is changing a mapping: run the command again in a minute.'
    return reportPause({ ...report, plan: undefined, outcome: 'refused', end: [again] }, io)
  }
  if (work.length === 0) {
    const none = 'Nothing to do: no enabled mapping of an SQS queue matches.'
    return reportPause({ ...report, plan: undefined, outcome: 'nothing', end: [none] }, io)
  }
  if (until !== undefined && !io.change.force) {
    const short = work.find(({ mapping }) => until - now >= (kept.get(mapping.queue) ?? Infinity))
    if (short !== undefined) {
      const queue = short.mapping.queue.split(':').at(-1)
      const refused = `Refused: nothing was changed. The pause would last longer than ${queue} keeps messages: SQS would delete them. Give it an earlier end, a longer MessageRetentionPeriod, or --force.`
      return reportPause({ ...report, plan: undefined, outcome: 'refused', end: [refused] }, io)
    }
  }
  if (io.change.plan !== name) return reportPause({ ...report, ...planEnd(name, io) }, io)
  const { by, why = 'no reason given', args } = io.change
  const done: string[] = []
  let changed = false
  for (const { mapping, before } of work) {
    const at = io.clock.now()
    const next: Pause = {
      id: sortableId(at),
      mapping: mapping.mapping,
      state: 'pausing',
      queue: mapping.queue,
      function: mapping.function,
      names: mapping.names,
      by,
      why,
      since: at,
      until: end(at),
    }
    const entry = { action: 'pause', id: mapping.mapping, plan: name, by, why }
    const outcome = await audited(io, { ...entry, command: commandWithoutPayloads(args) }, () =>
      applyPause(next, before, {
        store: io.store(),
        lambda,
        clock: io.clock,
        patience: PATIENCE,
      }),
    )
    changed ||= outcome === 'changed'
    done.push(
      `${subjectOf(mapping)}: ${outcome === 'done' ? `paused ${endOf(next.until, at)}` : SAID[outcome]}`,
    )
  }
  const last = changed
    ? 'Not all of it was done. lineclear pause lists what is paused.'
    : `Done, and recorded as done by ${by}. To end it: lineclear resume, with the same selection.`
  return reportPause(
    { ...report, lines: done, outcome: changed ? 'changed' : 'applied', end: [last] },
    io,
  )
}

/** An operator waits at the terminal. Lambda takes up to a minute to enable or disable a mapping. */
export const PATIENCE = 90_000

function stepLine({ mapping, verdict }: Step): string {
  const what = { pause: 'pause', change: 'pause', leave: 'leave', unsettled: 'wait' }[verdict.kind]
  return `${what.padEnd(6)} ${subjectOf(mapping)}  ${mapping.mapping}: ${verdict.because}`
}

function stepJson({ mapping: { names, ...mapping }, before, verdict }: Step): object {
  return {
    ...mapping,
    ...names,
    ...verdict,
    paused: before === undefined ? null : pauseJson(before),
  }
}

/** What the pause means for what waits. */
function notes(
  work: readonly Step[],
  until: number | undefined,
  now: number,
  kept: Plan['kept'],
): readonly string[] {
  const queues = [...new Set(work.map(({ mapping }) => mapping.queue))]
  return [
    `paused ${endOf(until, now)}. Batches that Lambda has received already still run.`,
    ...queues.map((queue) => {
      const time = kept.get(queue)
      const name = queue.split(':').at(-1) ?? ''
      return time === undefined
        ? `${name}: how long it keeps messages could not be read (sqs:GetQueueAttributes). SQS deletes what is older.`
        : `${name}: SQS deletes messages ${formatDuration(time)} after they were sent.`
    }),
    'Requests age meanwhile: retry.maxAge and retention of a consumer, giveUpAfter of a flow (its run ends, and its messages become stale),',
    'and the timeouts of awaited steps. Delayed messages are sent on time, and wait on the queue.',
  ]
}

async function retentions(steps: readonly Step[], io: Io): Promise<Plan['kept']> {
  const queues = [...new Set(steps.map(({ mapping }) => mapping.queue))]
  const read = async (queue: string) => [queue, await keptFor(queue, io.sqs())] as const
  return new Map(await Promise.all(queues.map(read)))
}
