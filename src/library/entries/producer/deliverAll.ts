import type { Clock } from '../../base/clock.ts'
import type { Route } from '../../run/context/checkSend.ts'
import { SendFailedError, type SendResult } from '../../base/errors.ts'
import type { SendAnswer, Sender, QueueMessage } from '../../protocol/send/messenger.ts'
import { isFifo } from '../../protocol/send/queueUrl.ts'
import { isCertain, isPermanent, isSetUp } from '../../protocol/send/refusal.ts'
import type { Produced } from './options.ts'

interface SendPlan {
  /** How errors name the call, such as `producer.send('https://…')`. */
  readonly call: string
  readonly route: Route
  readonly target: string
  readonly requests: readonly ProducerRequest[]
}

/** How often entries that were refused temporarily are sent. The SDK itself repeats calls that were not answered. */
const MAX_TRIES = 3
const PAUSE_MS = 100

/** @throws SendFailedError with the result of each message, unless all were accepted */
export async function deliverAll(
  sender: Sender,
  clock: Clock,
  delivery: SendPlan,
): Promise<readonly Produced[]> {
  const { route, target, requests } = delivery
  const answers = new Map<ProducerRequest, SendAnswer>()
  let left = requests
  for (let tried = 0; tried < MAX_TRIES && left.length > 0; tried++) {
    if (tried > 0) await clock.sleep(PAUSE_MS * 2 ** tried)
    const messages = left.map(({ message }) => message)
    const given = await sender.deliver(route, target, messages)
    for (const [index, request] of left.entries()) {
      answers.set(request, given[index] ?? new Error('no answer'))
    }
    left = left.filter((request) => isRetryable(answers.get(request)))
  }
  const results = requests.map((request) => resultOf(request, answers.get(request)))
  const sent = results.filter((result) => result.outcome === 'sent')
  if (sent.length < results.length) throw refusedError(delivery, results)
  return sent.map(({ uniqueRequestId, messageId }) => ({ uniqueRequestId, messageId }))
}

function isRetryable(answer: SendAnswer | undefined): boolean {
  return (
    answer instanceof Error &&
    // @protects a refusal for good is not tried again
    !isPermanent(answer) &&
    !isSetUp(answer)
  )
}

function resultOf(
  { uniqueRequestId }: ProducerRequest,
  answer: SendAnswer | undefined,
): SendResult {
  if (!(answer instanceof Error)) {
    return { outcome: 'sent', uniqueRequestId, messageId: answer?.messageId ?? '' }
  }
  // @protects a message that may have been sent is not called unsent
  // @without its then
  const outcome = isCertain(answer) ? 'notSent' : 'unknown'
  return { outcome, uniqueRequestId, error: answer, permanent: isPermanent(answer) }
}

function refusedError({ call, target }: SendPlan, results: readonly SendResult[]): SendFailedError {
  const failed = results.filter((result) => result.outcome !== 'sent')
  const permanent = failed.every((each) => each.permanent)
  const cause = (failed.find((each) => each.permanent) ?? failed[0])?.error
  const next = permanent
    ? 'the same messages would be refused again'
    : 'send those again, with the same uniqueRequestId and sentAt: consumers run each once'
  const order = isFifo(target) && results.length > 1 ? ', in their order' : ''
  return new SendFailedError(
    `${call}: ${countOf(results)} (${cause?.message}); ${next}${order}. error.results tells which`,
    { cause, permanent, results },
  )
}

function countOf(results: readonly SendResult[]): string {
  const count = (outcome: SendResult['outcome']): number =>
    results.filter((each) => each.outcome === outcome).length
  const [sent, notSent, unknown] = [count('sent'), count('notSent'), count('unknown')]
  const parts = [
    ...(notSent > 0 ? [`${notSent} not sent`] : []),
    ...(unknown > 0 ? [`${unknown} without an answer, so perhaps sent`] : []),
    `${sent} sent`,
  ]
  return `of ${results.length} ${results.length === 1 ? 'message' : 'messages'}: ${parts.join(', ')}`
}

/** A message that is ready to be sent, and its id. */
export interface ProducerRequest {
  readonly uniqueRequestId: string
  readonly message: QueueMessage
}
