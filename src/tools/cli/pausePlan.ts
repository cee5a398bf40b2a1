import { keptFor } from '../../send/operatorQueues.ts'
import { sortableId } from '../../base/sortableId.ts'
import { applyPause, type MappingClient } from '../../sweeper/pause/applyPause.ts'
import { type Pause, auditId, subjectOf } from '../../sweeper/pause/pauseRow.ts'
import { planName } from '../operator/text/planName.ts'
import { audited, commandWithoutPayloads } from './audited.ts'
import type { ExitCode, Io } from './command.ts'
import type { End } from './pauseEnd.ts'
import { endOf, MISSING, planEnd, reportPause, SAID } from './pauseReport.ts'
import { type KeptTimes, notesOf, type PauseStep, stepJson, stepLine } from './pauseStep.ts'

/** Shows what a pause does; `--apply` with the name of that plan does it. */
export async function runPausePlan(
  steps: readonly PauseStep[],
  end: End,
  lambda: MappingClient,
  io: Io,
): Promise<ExitCode> {
  const now = io.clock.now()
  const until = end(now)
  const work = steps.filter(({ verdict: { kind } }) => kind === 'pause' || kind === 'change')
  const kept = await retentions(steps, io)
  const plan = nameOf(steps, io)
  const lines = [
    ...steps.map(stepLine),
    ...(work.length === 0 ? [] : notesOf(work, until, now, kept)),
  ]
  const report = { action: 'pause', mappings: steps.map(stepJson) } as const
  const refusal = refusalOf(steps, work, { until, now, kept }, io)
  if (refusal !== undefined) return reportPause({ ...report, ...refusal, lines }, io)
  if (io.change.plan !== plan)
    return reportPause({ ...report, plan, lines, ...planEnd(plan, io) }, io)
  const { done, changed } = await apply(work, end, { lambda, plan }, io)
  const last = changed
    ? 'Not all of it was done. lineclear pause lists what is paused.'
    : `Done, and recorded as done by ${io.change.by}. To end it: lineclear resume, with the same selection.`
  const outcome = changed ? 'changed' : 'applied'
  return reportPause({ ...report, plan, lines: done, outcome, end: [last] }, io)
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

interface Refusal {
  readonly outcome: 'refused' | 'nothing' | 'missing'
  readonly end: readonly [string]
}

function refusalOf(
  steps: readonly PauseStep[],
  work: readonly PauseStep[],
  { until, now, kept }: { until: number | undefined; now: number; kept: KeptTimes },
  { change }: Io,
): Refusal | undefined {
  if (steps.length === 0) return { outcome: 'missing', end: [MISSING] }
  if (steps.some(({ verdict }) => verdict.kind === 'unsettled')) return refused(UNSETTLED)
  if (work.length === 0) return { outcome: 'nothing', end: [NONE] }
  if (until === undefined || change.force) return undefined
  const short = work.find(({ mapping }) => until - now >= (kept.get(mapping.queue) ?? Infinity))
  if (short === undefined) return undefined
  const queue = short.mapping.queue.split(':').at(-1)
  return refused(
    `Refused: nothing was changed. The pause would last longer than ${queue} keeps messages: SQS would delete them. Give it an earlier end, a longer MessageRetentionPeriod, or --force.`,
  )
}

function refused(line: string): Refusal {
  return { outcome: 'refused', end: [line] }
}

const UNSETTLED =
  'Refused: nothing was changed. Lambda is changing a mapping: run the command again in a minute.'
const NONE = 'Nothing to do: no enabled mapping of an SQS queue matches.'

async function apply(
  work: readonly PauseStep[],
  end: End,
  { lambda, plan }: { readonly lambda: MappingClient; readonly plan: string },
  io: Io,
): Promise<{ readonly done: readonly string[]; readonly changed: boolean }> {
  const { by, why = 'no reason given', args } = io.change
  const pausing = { store: io.store(), lambda, clock: io.clock, patience: PATIENCE }
  const done: string[] = []
  let changed = false
  for (const { mapping, before } of work) {
    const next = pauseOf(mapping, end, io)
    const entry = { action: 'pause', id: auditId(mapping), plan, by, why }
    const outcome = await audited(io, { ...entry, command: commandWithoutPayloads(args) }, () =>
      applyPause(next, before, pausing),
    )
    changed ||= outcome === 'changed'
    done.push(
      `${subjectOf(mapping)}: ${outcome === 'done' ? `paused ${endOf(next.until, next.since)}` : SAID[outcome]}`,
    )
  }
  return { done, changed }
}

function pauseOf(
  { mapping, queue, function: name, names }: PauseStep['mapping'],
  end: End,
  { clock, change: { by, why = 'no reason given' } }: Io,
): Pause {
  const since = clock.now()
  const common = { mapping, queue, function: name, names, by, why, since }
  return { id: sortableId(since), state: 'pausing', ...common, until: end(since) }
}

/** An operator waits at the terminal. Lambda takes up to a minute to enable or disable a mapping. */
export const PATIENCE = 90_000

async function retentions(steps: readonly PauseStep[], io: Io): Promise<KeptTimes> {
  const queues = [...new Set(steps.map(({ mapping }) => mapping.queue))]
  const read = async (queue: string) => [queue, await keptFor(queue, io.sqs())] as const
  return new Map(await Promise.all(queues.map(read)))
}
