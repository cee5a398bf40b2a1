import type { PauseVerdict } from '../operator/pause/decidePause.ts'
import type { FoundMapping } from '../operator/pause/findMappings.ts'
import { type Pause, subjectOf } from '../../sweeper/pause/pauseRow.ts'
import { formatDuration } from '../operator/text/humanTime.ts'
import { endOf, pauseJson } from './pauseReport.ts'

/** A mapping that matches, and what a pause does with it. */
export interface PauseStep {
  readonly mapping: FoundMapping
  readonly before: Pause | undefined
  /** Of the last pause of the mapping, also of one that has ended. */
  readonly lastId: string | undefined
  readonly verdict: PauseVerdict
}

export function stepLine({ mapping, verdict }: PauseStep): string {
  const what = { pause: 'pause', change: 'pause', leave: 'leave', unsettled: 'wait' }[verdict.kind]
  return `${what.padEnd(6)} ${subjectOf(mapping)}  ${mapping.mapping}: ${verdict.because}`
}

export function stepJson({ mapping: { names, ...mapping }, before, verdict }: PauseStep): object {
  return {
    ...mapping,
    ...names,
    ...verdict,
    paused: before === undefined ? null : pauseJson(before),
  }
}

/** How long a queue keeps messages, milliseconds, by its ARN. undefined: it could not be read. */
export type KeptTimes = ReadonlyMap<string, number | undefined>

/** What the pause means for what waits. */
export function notesOf(
  work: readonly PauseStep[],
  until: number | undefined,
  now: number,
  kept: KeptTimes,
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
