import { damaged } from '../../../library/protocol/store/format.ts'
import { awsMessenger } from '../../../library/adapters/send/awsMessenger.ts'
import type { QueueMessage } from '../../../library/protocol/send/messenger.ts'
import { systemClock } from '../../../library/base/clock.ts'
import { isSendable } from '../../../library/protocol/record/envelope/buildMessage.ts'
import { readToken, type Token, tokenKey } from '../../../library/protocol/claim/token/token.ts'
import { outcomeOrThrow, type Store, type Update } from '../../../library/protocol/store/store.ts'
import { loadItem } from '../../../library/entries/sweeper/due/listDue.ts'
import { payloadPlace } from '../text/humanTime.ts'
import { planName } from '../text/planName.ts'
import type { DeadLetter } from './deadLetter.ts'
import { type QueueOptions, findUrl, type Selection } from './deadLetterQueue.ts'
import { type DeadLetterSource, openQueueSource } from './deadLetterSource.ts'
import { toPutBack } from './send.ts'
import { isFifo } from '../../../library/protocol/send/queueUrl.ts'
import {
  bodyHash,
  bodyOf,
  isComputed,
  payloadHashOf,
} from '../../../library/protocol/record/message/message.ts'
import { tokenKeyOf } from '../../../library/protocol/claim/token/claimWrites.ts'

interface EditOptions<Offered> extends Omit<QueueOptions, keyof Selection> {
  /** `uniquerequestid` or SQS message id of the dead letter, or of the run if it has only this one. */
  readonly id: string
  readonly store: Store
  /** Makes the new payload. What it throws, `editDeadLetter` throws. */
  readonly edit: (payload: string) => string
  /** Name of the consumer whose record it is, for a dead letter that names none. */
  readonly consumer?: string | undefined
  readonly args: readonly string[]
  /** Called with the plan while the dead letter is held. What it throws, `editDeadLetter` throws. */
  readonly offer: (plan: EditPlan) => Promise<Offered>
}

interface Edited {
  readonly deadLetter: DeadLetter
  readonly before: string
  readonly after: string
}

export interface EditPlan extends Edited {
  readonly name: string
  readonly notes: readonly string[]
  apply(): Promise<EditEnd>
}

/** `outdated`: the request has changed since the plan. `incomplete`: the queue did not do all of it; the same command does the rest. */
interface EditEnd {
  readonly outcome: 'applied' | 'outdated' | 'incomplete'
  readonly because?: string
}

/** `incomplete`: not found, but another reader, or a command that was killed, holds dead letters. */
interface NoEdit {
  readonly outcome: 'missing' | 'incomplete' | 'nothing' | 'impossible'
  readonly because: string
}

/**
 * Replaces the payload of one dead letter: first the record learns the hash of the new payload, then the corrected message is put
 * on the dead-letter queue, then the old one is removed. Killed in between, it can be run again: at worst both are on the queue,
 * and only the corrected one can run.
 * @throws QueueNotFoundError @throws ConfigError @throws StoreUnavailableError
 */
export async function editDeadLetter<Offered>(
  options: EditOptions<Offered>,
): Promise<NoEdit | { readonly offered: Offered }> {
  const { id, edit } = options
  const source = await openQueueSource(options)
  let edited = false
  let looked = 0
  const ofRun = new Set<string>()
  for await (const page of source.pages()) {
    for (const deadLetter of page) {
      if (deadLetter.envelope.carried.flow?.id === id) ofRun.add(deadLetter.record.messageId)
      if (deadLetter.uniqueRequestId !== id && deadLetter.record.messageId !== id) continue
      if (deadLetter.notKnown) return impossible(NEWER)
      const { body } = deadLetter.envelope
      const place = payloadPlace(deadLetter.envelope)
      if (place !== undefined) return impossible(notInMessage(place))
      const after = edit(body)
      // Awaited here: the end of the iteration makes the dead letter visible again.
      if (after !== body) return await change(options, source, { deadLetter, before: body, after })
      edited = true
    }
    looked += page.length
    options.onProgress?.(looked, source.visible)
  }
  if (options.signal?.aborted === true) {
    return impossible(`it was interrupted after ${looked} dead letters. Type it again`)
  }
  const [only, ...others] = edited ? [] : ofRun
  if (others.length > 0) {
    return impossible(
      `several dead letters are of the run ${id}: give one of them, by its message id: ${[...ofRun].join(', ')}`,
    )
  }
  if (only !== undefined) return editDeadLetter({ ...options, id: only })
  return edited
    ? { outcome: 'nothing', because: 'the dead letter has this payload already' }
    : {
        outcome: source.hidden > 0 ? 'incomplete' : 'missing',
        because: `no dead letter has the id ${id}`,
      }
}

/** While the dead letter is held. */
async function change<Offered>(
  options: EditOptions<Offered>,
  source: DeadLetterSource,
  edited: Edited,
): Promise<NoEdit | { readonly offered: Offered }> {
  const { store, clock = systemClock, args } = options
  const { deadLetter, before, after } = edited
  const { flow, consumer = options.consumer } = deadLetter.envelope.carried
  const because = whyNotSent(deadLetter, after)
  if (because !== undefined) return impossible(because)
  const message = toPutBack(deadLetter, after)
  if (message === undefined) return impossible(NO_ROOM)
  const token =
    consumer === undefined || flow !== undefined
      ? undefined
      : await loadToken(store, consumer, deadLetter.uniqueRequestId)
  const decision = decideEdit(token, edited, clock.now())
  if (decision.kind === 'impossible') return impossible(decision.because)
  const { update } = decision
  const notes = [...decision.notes, ...notesOn(deadLetter, consumer)]
  const { messageId } = deadLetter.record
  const name = planName(['dlq edit', args, messageId, before, after, update?.where])
  const apply = async (): Promise<EditEnd> => replace(options, source, deadLetter, message, update)
  return { offered: await options.offer({ name, ...edited, notes, apply }) }
}

async function replace(
  { store, sqs }: Pick<EditOptions<unknown>, 'store' | 'sqs'>,
  source: DeadLetterSource,
  old: DeadLetter,
  message: QueueMessage,
  update: Update | undefined,
): Promise<EditEnd> {
  if (update !== undefined && !(await accepts(store, update))) return { outcome: 'outdated' }
  const url = await findUrl(sqs, old.record.eventSourceARN)
  const [refusal] = await awsMessenger({ sqs }).send(url, [message])
  if (refusal !== undefined) return { outcome: 'incomplete', because: refusal.message }
  const [notRemoved] = await source.remove([old])
  if (notRemoved === undefined) return { outcome: 'applied' }
  const because = `the old one is still on the queue: ${notRemoved.message}`
  return { outcome: 'incomplete', because }
}

const NEWER = 'a newer version has written it: use the command line of that version'
const NO_ROOM = 'with the new payload it does not fit into an SQS message'

function impossible(because: string): NoEdit {
  return { outcome: 'impossible', because }
}

function notInMessage(place: string): string {
  return (
    `its payload is not in the message, but at ${place}, under the hash of its content: a corrected one cannot be put in its ` +
    'place. Send the corrected request again under an id of its own, and end this one: lineclear decide ID done'
  )
}

function whyNotSent({ envelope }: DeadLetter, after: string): string | undefined {
  if (after === '') return 'a message cannot be empty'
  if (!isSendable(after)) return 'the new payload has characters that SQS does not take'
  const { flow } = envelope.carried
  if (flow?.from === '' && flow.timeout !== true) {
    return (
      'its run has begun with this payload, and the record of the flow compares it. Start the request again with the corrected ' +
      'payload, and stop listing this one: lineclear decide FLOW/KEY drop --request UNIQUEREQUESTID'
    )
  }
  return undefined
}

function notesOn(
  { identity, record }: DeadLetter,
  consumer: string | undefined,
): readonly string[] {
  return [
    'identity, attributes and age stay. If the consumer computes id(payload), it must give the same id',
    ...(isFifo(record.eventSourceARN) ? [BEHIND] : []),
    ...(consumer !== undefined || identity === 'stamped'
      ? []
      : [
          'the message names no consumer: if one has begun it, give --consumer NAME, or it will be refused as a conflict',
        ]),
  ]
}

const BEHIND =
  'its queue is FIFO: the corrected message goes behind the later ones of its group. If their order counts, discard these first, and restore them when it has run'

async function loadToken(store: Store, consumer: string, id: string): Promise<Token | undefined> {
  const item = await loadItem(store, tokenKey(consumer, id))
  if (item === undefined) return undefined
  const token = readToken(item)
  if (token === undefined) throw damaged(item).error
  return token
}

/** Applied, or applied by the same command before its answer was lost. */
async function accepts(store: Store, update: Update): Promise<boolean> {
  const outcome = outcomeOrThrow(await store.update([update]))
  return outcome.kind === 'applied' || outcome.item?.['payloadHash'] === update.set?.['payloadHash']
}

type EditDecision =
  | {
      readonly kind: 'allowed'
      /** The record accepts the new payload, and no longer the old one. undefined: no record compares payloads. */
      readonly update: Update | undefined
      readonly notes: readonly string[]
    }
  | { readonly kind: 'impossible'; readonly because: string }

/**
 * A consumer refuses another payload under a known id as a conflict, because any sender could send one. So the operator writes the
 * hash of the new payload into the record, on the condition that nothing has happened to the request since the plan. A sender
 * cannot write the table.
 * @param token of the request. undefined: the table has none
 */
export function decideEdit(
  token: Token | undefined,
  { before, after }: Pick<Edited, 'before' | 'after'>,
  now: number,
): EditDecision {
  if (token === undefined) return { kind: 'allowed', update: undefined, notes: [] }
  const because = whyNot(token, now)
  if (because !== undefined) return { kind: 'impossible', because }
  const notes = notRepeated(token)
  const { payloadHash } = token
  const [oldHash, newHash] = [bodyHash(before), bodyHash(after)]
  if (payloadHash === undefined || bodyOf(payloadHash) === newHash) {
    return { kind: 'allowed', update: undefined, notes }
  }
  if (bodyOf(payloadHash) !== oldHash) {
    return {
      kind: 'impossible',
      because:
        'the record is of another payload: its consumer takes the payload out of an event (option envelopes), or this message is ' +
        'not the one that the consumer has run. Send a corrected message under an id of its own',
    }
  }
  return { kind: 'allowed', update: acceptPayload(token, payloadHash, newHash), notes }
}

function whyNot({ status, leaseUntil }: Token, now: number): string | undefined {
  if (status === 'complete') return 'its request is done: nothing would run'
  if (status === 'dying') return 'its dead letter is being sent: wait a minute'
  if (status === 'inProgress' && leaseUntil > now) return 'an attempt of it is running'
  return undefined
}

/** Everything that a claim, an end or an operator changes is compared. */
function acceptPayload(token: Token, stored: string, newHash: string): Update {
  const { attemptId, fence, status, death, leaseUntil } = token
  return {
    key: tokenKeyOf(token),
    where: [
      { field: 'attemptId', is: '=', value: attemptId },
      { field: 'fence', is: '=', value: fence },
      { field: 'status', is: '=', value: status },
      { field: 'payloadHash', is: '=', value: stored },
      death === 0 ? { absent: 'death' } : { field: 'death', is: '=', value: death },
      leaseUntil === 0
        ? { any: [{ absent: 'leaseUntil' }, { field: 'leaseUntil', is: '=', value: 0 }] }
        : { field: 'leaseUntil', is: '=', value: leaseUntil },
    ],
    set: { payloadHash: payloadHashOf(newHash, isComputed(stored)) },
  }
}

/** An edit does not change what has been done with the old payload. */
function notRepeated({ applied, calls }: Token): readonly string[] {
  const names = [...applied, ...calls.keys()]
  if (names.length === 0) return []
  return [`made with the old payload, and not repeated: ${names.join(', ')}`]
}
