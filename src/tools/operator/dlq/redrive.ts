import type { SQSClient } from '@aws-sdk/client-sqs'
import { systemClock } from '../../../library/base/clock.ts'
import { awsMessenger } from '../../../library/adapters/send/awsMessenger.ts'
import { type Bound, type BoundEnd, type LettersReport, plannedLetter, plannedOf } from './bound.ts'
import type { DeadLetter } from './deadLetter.ts'
import { openQueueSource, type SourceOptions } from './deadLetterSource.ts'
import { findDestinations } from './destinations.ts'
import { limitRate, rampUpTo } from './ramp.ts'
import { collectGroups } from './look.ts'
import {
  type Records,
  selectForRedrive,
  type RedrivableMessage,
  type RedriveSelection,
  STAY_REASONS,
  type StayReason,
} from './selectForRedrive.ts'
import { sendInGroupOrder } from './send.ts'
import { NOT_WATCHED, type WatchOptions, watchSent, type WatchResult } from './watch.ts'
import type { SendOutcome } from '../../../library/protocol/send/messenger.ts'

interface RedriveOptions extends SourceOptions, Bound {
  readonly sqs: SQSClient
  /** Name, URL or ARN. Default: the queue from which SQS moved the dead letter, else the only queue that uses this one. */
  readonly to?: string | undefined
  /** Dead letters a second, a whole number from 1. Default 50. */
  readonly rate?: number | undefined
  /** Begins slowly, and stops when those it has sent fail again. Default: sends at `rate` from the beginning. */
  readonly ramp?: WatchOptions | undefined
  /** Default: not looked at, and what has lost its record is dead-lettered again. */
  readonly records?: Records | undefined
  /** Only those of the reason `conflict` are sent, each under an id of its own, which follows from its id and payload. */
  readonly asNewRequest?: boolean | undefined
  /** Default `plan`: nothing is sent or removed. */
  readonly mode?: 'plan' | 'apply'
}

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
  const report = reportBuilder(mode)
  const destinationOf = await findDestinations(sqs, { to, force: options.records?.force })
  const ramp = options.ramp === undefined ? rampUpTo(rate, []) : rampUpTo(rate)
  // Dead letters that wait for the rate limit are hidden: they must not wait longer than their visibility timeout.
  const pageSize = (): number => Math.min(PAGE, ramp.rate(), ramp.left())
  const source = await openQueueSource(options, mode === 'apply' ? pageSize : undefined)
  const watch = options.ramp && watchSent(options.ramp, { source, clock, signal })
  const planned = plannedOf(options)
  const select = selectForRedrive(source, { ...options, planned }, destinationOf)
  const send = sendInGroupOrder(awsMessenger({ sqs }))
  const waitForRate = limitRate(ramp.rate, clock, signal)
  const seen = collectGroups()
  const end = (ended: RedriveEnd): RedriveReport => {
    const { fifo, hidden, visible } = source
    const found = { ...report.counted(), ...planned.unseen(ended === 'complete') }
    const watched = watch?.counts() ?? NOT_WATCHED
    const more = source.hasMore()
    return { ...found, hidden, visible, watched, groups: seen.groups(), ended, more, fifo }
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
    return options.onPage?.(report.counted().moved, pace)
  }

  for await (const page of source.pages(watch?.finish)) {
    watch?.received(page)
    planned.see(page.map(({ record }) => record.messageId))
    const selection = await select(page)
    report.addSelection(selection)
    if (mode === 'plan') {
      const going = new Set(selection.goes.map(({ deadLetter }) => deadLetter.record.messageId))
      seen.see(page, new Set(page.filter(({ record }) => going.has(record.messageId))))
      for (const { deadLetter, url } of selection.goes) {
        options.onPlanned?.({ ...plannedLetter(deadLetter), to: new URL(url).pathname })
      }
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
    options.onProgress?.(report.counted().looked, source.visible)
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

/** `stopped`: nothing of a page was accepted. `failing`: too many of the first ones failed again. */
type RedriveEnd = BoundEnd | 'stopped' | 'failing'

export interface RedriveReport extends LettersReport {
  /** By queue URL: how many would be sent (plan), or were accepted there. */
  readonly to: Readonly<Record<string, number>>
  /** Accepted by their queue, and removed from the dead-letter queue; 0 in a plan. */
  readonly moved: number
  /** How many were sent with their SQS message id, because they had no `uniquerequestid`. */
  readonly stamped: number
  /** In a plan: those that an attempt has written, and that name no consumer, so that their records cannot be looked up. */
  readonly unsure: number
  /** In a plan: those whose record is gone, which are sent as new messages (`force`). */
  readonly asNew: number
  readonly stays: Readonly<Record<StayReason, number>>
  /** Not accepted by their queue: they stay. */
  readonly refused: number
  /** Accepted by their queue, but not removed: the next run sends them again, and consumers drop the duplicates. */
  readonly notRemoved: number
  readonly watched: WatchResult
  readonly ended: RedriveEnd
}

function reportBuilder(mode: 'plan' | 'apply') {
  const to: Record<string, number> = {}
  const none = STAY_REASONS.map((reason) => [reason, 0] as const)
  const stays = Object.fromEntries(none) as Record<StayReason, number>
  const counts = { looked: 0, moved: 0, stamped: 0, unsure: 0, asNew: 0, refused: 0, notRemoved: 0 }
  let error: string | undefined
  const count = (goes: readonly RedrivableMessage[]): void => {
    for (const { url } of goes) to[url] = (to[url] ?? 0) + 1
  }
  return {
    addSelection: (selection: RedriveSelection) => {
      counts.looked += selection.goes.length + selection.stays.length
      for (const reason of selection.stays) stays[reason] += 1
      counts.stamped += selection.goes.filter(({ stamped }) => stamped).length
      if (mode === 'apply') return
      count(selection.goes)
      counts.unsure += selection.goes.filter(({ unsure }) => unsure).length
      counts.asNew += selection.goes.filter(({ asNew }) => asNew).length
    },
    addSent: (
      sent: readonly SendOutcome[],
      accepted: readonly RedrivableMessage[],
      removed: readonly SendOutcome[],
    ) => {
      count(accepted)
      counts.refused += failures(sent)
      counts.notRemoved += failures(removed)
      counts.moved += accepted.length - failures(removed)
      error ??= [...sent, ...removed].find((outcome) => outcome !== undefined)?.message
    },
    counted: () => ({ mode, ...counts, to, stays, error }),
  }
}

function failures(outcomes: readonly SendOutcome[]): number {
  return outcomes.filter((outcome) => outcome !== undefined).length
}
