import type { SQSClient } from '@aws-sdk/client-sqs'
import { systemClock } from '../../../clock.ts'
import { ConfigError } from '../../../errors.ts'
import { awsMessenger } from '../../../queue/awsMessenger.ts'
import type { QueueOptions } from './deadLetterQueue.ts'
import { findDestinations } from './destinations.ts'
import { openFileSource, type DeadLetterSource, openQueueSource } from './deadLetterSource.ts'
import { selectForRedrive } from './selectForRedrive.ts'
import { limitRate } from './rateLimit.ts'
import { reportBuilder, type RedriveReport } from './redriveReport.ts'
import { sendInGroupOrder } from './send.ts'

interface Redriving extends Omit<QueueOptions, 'queue'> {
  readonly sqs: SQSClient
  /** Name, URL or ARN. Default: the queue from which SQS moved the dead letter, else the only queue that uses this one. */
  readonly to?: string | undefined
  /** Dead letters a second, a whole number from 1. Default 50. */
  readonly rate?: number | undefined
  /** Default `plan`: nothing is sent or removed. */
  readonly mode?: 'plan' | 'apply'
}

/** From a dead-letter queue, or from a file of `archiveDeadLetters`, which is not changed. */
export type RedriveOptions = Redriving &
  (
    | { readonly queue: string; readonly file?: undefined }
    | { readonly file: string; readonly queue?: undefined }
  )

const RATE = 50
const PAGE = 10

/**
 * Sends dead letters back, each under its identity, and removes those that were accepted. If it is killed in between, the dead
 * letter is still there and is sent again under the same identity: its consumer runs it once. A dead letter that dies again in
 * the meantime stays.
 * @throws QueueNotFoundError, ConfigError before anything is sent; rejects when SQS gives no answer
 */
export async function redriveDeadLetters(options: RedriveOptions): Promise<RedriveReport> {
  const { sqs, to, mode = 'plan', rate = RATE, signal, clock = systemClock } = options
  if (!Number.isInteger(rate) || rate < 1) {
    throw new ConfigError(
      `rate: expected a whole number of dead letters a second, 1 or more, got ${rate}`,
    )
  }
  const messenger = awsMessenger({ sqs })
  const report = reportBuilder(mode)
  const destinationOf = await findDestinations(sqs, to)
  const source = await openSource(options, rate, report.addUnreadable)
  const select = selectForRedrive(source, options, destinationOf)
  const send = sendInGroupOrder(messenger)
  const waitForRate = limitRate(rate, clock, signal)
  for await (const page of source.pages()) {
    const selection = await select(page)
    report.addSelection(selection)
    if (mode === 'apply' && selection.goes.length > 0) {
      const outcomes = await send(selection.goes)
      const accepted = selection.goes.filter((_, index) => outcomes[index] === undefined)
      const removed = await source.remove(accepted.map(({ deadLetter }) => deadLetter))
      report.addSent(outcomes, accepted, removed)
      if (accepted.length === 0) return report.end('stopped', source)
      await waitForRate(accepted.length)
    }
    options.onProgress?.(report.looked(), source.visible)
    if (signal?.aborted === true) return report.end('aborted', source)
  }
  return report.end(signal?.aborted === true ? 'aborted' : 'complete', source)
}

async function openSource(
  options: RedriveOptions,
  rate: number,
  onUnreadable: (line: number) => void,
): Promise<DeadLetterSource> {
  const { mode = 'plan', clock = systemClock } = options
  if (options.file !== undefined) return openFileSource(options.file, clock.now(), onUnreadable)
  // Dead letters that wait for the rate limit are hidden: they must not wait longer than their visibility timeout.
  return openQueueSource(options, mode === 'apply' ? Math.min(PAGE, rate) : undefined)
}
