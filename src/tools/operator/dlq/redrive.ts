import type { SQSClient } from '@aws-sdk/client-sqs'
import { systemClock } from '../../../base/clock.ts'
import { ConfigError } from '../../../base/errors.ts'
import { awsMessenger } from '../../../send/awsMessenger.ts'
import { type Bound, plannedSeen } from './bound.ts'
import type { DeadLetter } from './deadLetter.ts'
import {
  openFileSource,
  type DeadLetterSource,
  openQueueSource,
  type SourceOptions,
} from './deadLetterSource.ts'
import { findDestinations } from './destinations.ts'
import { plannedLetter } from './idSet.ts'
import { rampUpTo, steady } from './ramp.ts'
import { limitRate } from './rateLimit.ts'
import { reportBuilder, type RedriveEnd, type RedriveReport } from './redriveReport.ts'
import { collectGroups } from './seenGroups.ts'
import { type Records, selectForRedrive } from './selectForRedrive.ts'
import { sendInGroupOrder } from './send.ts'
import { NOT_WATCHED, type WatchOptions, watchSent } from './watch.ts'

interface Redriving extends Omit<SourceOptions, 'queue'>, Bound {
  readonly sqs: SQSClient
  /** Name, URL or ARN. Default: the queue from which SQS moved the dead letter, else the only queue that uses this one. */
  readonly to?: string | undefined
  /** Dead letters a second, a whole number from 1. Default 50. */
  readonly rate?: number | undefined
  /** Begins slowly, and stops when those it has sent fail again. Default: sends at `rate` from the beginning. */
  readonly ramp?: WatchOptions | undefined
  /** Default: not looked at, and what has lost its record is dead-lettered again. */
  readonly records?: Records | undefined
  /** Default `plan`: nothing is sent or removed. */
  readonly mode?: 'plan' | 'apply'
}

/** From dead-letter queues, or from a file of `archiveDeadLetters`, which is not changed. */
export type RedriveOptions = Redriving &
  (
    | { readonly queue: string | readonly string[]; readonly file?: undefined }
    | { readonly file: string; readonly queue?: undefined }
  )

const RATE = 50
const PAGE = 10

/**
 * Sends dead letters back, each under its identity, and removes those that were accepted. If it is killed in between, the dead
 * letter is still there and is sent again under the same identity: its consumer runs it once. A dead letter that dies again in
 * the meantime stays.
 * @throws QueueNotFoundError, ConfigError before anything is sent; rejects when SQS or the table gives no answer
 */
export async function redriveDeadLetters(options: RedriveOptions): Promise<RedriveReport> {
  const { sqs, to, mode = 'plan', rate = RATE, signal, clock = systemClock } = options
  if (!Number.isInteger(rate) || rate < 1) {
    throw new ConfigError(
      `rate: expected a whole number of dead letters a second, 1 or more, got ${rate}`,
    )
  }
  const report = reportBuilder(mode)
  const destinationOf = await findDestinations(sqs, { to, force: options.records?.force })
  const ramp = options.ramp === undefined ? steady(rate) : rampUpTo(rate)
  // Dead letters that wait for the rate limit are hidden: they must not wait longer than their visibility timeout.
  const pageSize = (): number => Math.min(PAGE, ramp.rate(), ramp.left())
  const source = await openSource(options, pageSize, report.addUnreadable)
  const watch = options.ramp && watchSent(options.ramp, { source, clock, signal })
  const select = selectForRedrive(source, options, destinationOf)
  const send = sendInGroupOrder(awsMessenger({ sqs }))
  const waitForRate = limitRate(ramp.rate, clock, signal)
  const planned = plannedSeen(options)
  const seen = collectGroups()
  const end = (ended: RedriveEnd): RedriveReport => {
    const { fifo, hasMore, hidden } = source
    const watched = watch?.counts() ?? NOT_WATCHED
    const unseen = planned.unseen(ended === 'complete')
    return report.end(ended, { fifo, hasMore, hidden, ...unseen, watched, groups: seen.groups() })
  }

  /** @returns why the run ends */
  async function keepPace(sent: readonly DeadLetter[]): Promise<RedriveEnd | undefined> {
    watch?.sent(sent)
    await waitForRate(sent.length)
    if (ramp.sent(sent.length) && !planned.all()) await watch?.wait()
    return watch?.isFailing() === true ? 'failing' : undefined
  }

  /** @returns why the run ends */
  async function reportPage(): Promise<RedriveEnd | undefined> {
    const pace = { rate: ramp.rate(), failed: watch?.counts().failed ?? 0 }
    const orders = (await options.onPage?.(report.moved(), pace)) ?? 'go on'
    if (orders === 'go on') return undefined
    return orders === 'pause' ? 'paused' : orders
  }

  for await (const page of source.pages(watch?.finish)) {
    watch?.received(page)
    planned.see(page.map(({ record }) => record.messageId))
    const selection = await select(page)
    report.addSelection(selection)
    if (mode === 'plan') {
      seen.see(page, new Set(selection.goes.map(({ deadLetter }) => deadLetter)))
      for (const { deadLetter } of selection.goes) options.onPlanned?.(plannedLetter(deadLetter))
    } else if (selection.goes.length > 0) {
      await watch?.beforeSend(selection.goes.map(({ deadLetter }) => deadLetter))
      const outcomes = await send(selection.goes)
      const accepted = selection.goes.filter((_, index) => outcomes[index] === undefined)
      const sent = accepted.map(({ deadLetter }) => deadLetter)
      const removed = await source.remove(sent)
      report.addSent(outcomes, accepted, removed)
      if (accepted.length === 0) return end('stopped')
      // Before the wait, which may take ten seconds: a command that is killed in it has counted this page.
      const ordered = await reportPage()
      if (ordered !== undefined) return end(ordered)
      const ended = await keepPace(sent)
      if (ended !== undefined) return end(ended)
    }
    options.onProgress?.(report.looked(), source.visible)
    if (signal?.aborted === true) return end('aborted')
    const ordered = await reportPage()
    if (ordered !== undefined) return end(ordered)
    if (planned.all()) {
      await watch?.finish()
      break
    }
  }
  return end(signal?.aborted === true ? 'aborted' : 'complete')
}

async function openSource(
  options: RedriveOptions,
  pageSize: () => number,
  onUnreadable: (line: number) => void,
): Promise<DeadLetterSource> {
  const { mode = 'plan', clock = systemClock } = options
  if (options.file !== undefined) {
    return openFileSource(
      options.file,
      clock.now(),
      onUnreadable,
      mode === 'apply' ? pageSize : undefined,
    )
  }
  return openQueueSource(options, mode === 'apply' ? pageSize : undefined)
}
