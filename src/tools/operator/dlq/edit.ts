import { awsMessenger } from '../../../send/awsMessenger.ts'
import { systemClock } from '../../../base/clock.ts'
import { isSendable } from '../../../record/envelope/buildMessage.ts'
import { readToken, type Token, tokenKey } from '../../../claim/token/token.ts'
import { outcomeOrThrow, type Store, type Update } from '../../../store/store.ts'
import { loadItem } from '../../../sweeper/due/listDue.ts'
import { payloadPlace } from '../text/payloadPlace.ts'
import { planName } from '../text/planName.ts'
import type { DeadLetter } from './deadLetter.ts'
import { type QueueOptions, findUrl } from './deadLetterQueue.ts'
import { type DeadLetterSource, openQueueSource } from './deadLetterSource.ts'
import { decideEdit } from './planEdit.ts'
import { toPutBack } from './putBack.ts'
import { isFifo } from '../../../send/queueUrl.ts'

interface EditOptions extends Omit<
  QueueOptions,
  'group' | 'ids' | 'reason' | 'olderThan' | 'match'
> {
  /** `uniquerequestid` or SQS message id of the dead letter, or of the run if it has only this one. */
  readonly id: string
  readonly store: Store
  /** Makes the new payload. What it throws, `editDeadLetter` throws. */
  readonly edit: (payload: string) => string
  /** Name of the consumer whose record it is, for a dead letter that names none. */
  readonly consumer?: string | undefined
  /** Part of the plan's name. */
  readonly args: readonly string[]
  /** Called with the plan while the dead letter is held. @returns whether to make the change */
  readonly onPlan: (plan: EditPlan) => Promise<boolean>
}

export interface EditPlan {
  readonly name: string
  readonly deadLetter: DeadLetter
  readonly before: string
  readonly after: string
  readonly notes: readonly string[]
}

/** `held`: not found, but another reader, or a command that was killed, holds dead letters. `outdated`: the request has changed since the plan. `refused`: the queue did not accept the corrected message. */
export type EditResult =
  | { readonly kind: 'applied' | 'planned' }
  | {
      readonly kind: 'missing' | 'held' | 'nothing' | 'impossible' | 'outdated' | 'refused'
      readonly because: string
    }

/**
 * Replaces the payload of one dead letter: first the record learns the hash of the new payload, then the corrected message is put
 * on the dead-letter queue, then the old one is removed. Killed in between, it can be run again: at worst both are on the queue,
 * and only the corrected one can run.
 * @throws QueueNotFoundError @throws ConfigError @throws StoreUnavailableError
 */
export async function editDeadLetter(options: EditOptions): Promise<EditResult> {
  const { id, edit } = options
  const source = await openQueueSource(options)
  let edited = false
  let looked = 0
  const ofRun = new Set<string>()
  for await (const page of source.pages()) {
    for (const deadLetter of page) {
      if (deadLetter.envelope.carried.flow?.id === id) ofRun.add(deadLetter.record.messageId)
      if (deadLetter.uniqueRequestId !== id && deadLetter.record.messageId !== id) continue
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
  if (options.signal?.aborted === true) return impossible('it was interrupted')
  const [only, ...others] = edited ? [] : ofRun
  if (others.length > 0) {
    return impossible(
      `several dead letters are of the run ${id}: give one of them, by its message id: ${[...ofRun].join(', ')}`,
    )
  }
  if (only !== undefined) return editDeadLetter({ ...options, id: only })
  return edited
    ? { kind: 'nothing', because: 'the dead letter has this payload already' }
    : { kind: source.hidden > 0 ? 'held' : 'missing', because: `no dead letter has the id ${id}` }
}

interface Edited {
  readonly deadLetter: DeadLetter
  readonly before: string
  readonly after: string
}

/** While the dead letter is held. */
async function change(
  options: EditOptions,
  source: DeadLetterSource,
  edited: Edited,
): Promise<EditResult> {
  const { store, sqs, clock = systemClock, args } = options
  const { deadLetter, before, after } = edited
  const { eventSourceARN: home, messageId } = deadLetter.record
  const { flow, consumer = options.consumer } = deadLetter.envelope.carried
  const because = whyNotSent(deadLetter, after)
  if (because !== undefined) return impossible(because)
  const message = toPutBack(deadLetter, after)
  if (message === undefined) return impossible(NO_ROOM)
  const token =
    consumer === undefined || flow !== undefined
      ? undefined
      : await loadToken(store, consumer, deadLetter.uniqueRequestId)
  if (token === 'unreadable') return impossible('its record was written by a newer version')
  const decision = decideEdit(token, edited, clock.now())
  if (decision.kind === 'impossible') return decision
  const { update } = decision
  const notes = [...decision.notes, ...notesOn(deadLetter, consumer)]
  const name = planName(['dlq edit', args, messageId, before, after, update?.where])
  if (!(await options.onPlan({ name, deadLetter, before, after, notes })))
    return { kind: 'planned' }
  if (update !== undefined && !(await accepts(store, update))) {
    return { kind: 'outdated', because: 'the request has changed since the plan was made' }
  }
  const url = await findUrl(sqs, home)
  const [refusal] = await awsMessenger({ sqs }).send(url, [message])
  if (refusal !== undefined) return { kind: 'refused', because: refusal.message }
  const [notRemoved] = await source.remove([deadLetter])
  return notRemoved === undefined
    ? { kind: 'applied' }
    : { kind: 'refused', because: `the old one is still on the queue: ${notRemoved.message}` }
}

const NO_ROOM = 'with the new payload it does not fit into an SQS message'

function impossible(because: string): EditResult {
  return { kind: 'impossible', because }
}

function notInMessage(place: string): string {
  return (
    `its payload is not in the message, but at ${place}, under the hash of its content: a corrected one cannot be put in its ` +
    'place. Send the corrected request again under an id of its own, and end this one: lineclear tokens resolve'
  )
}

function whyNotSent({ record, envelope }: DeadLetter, after: string): string | undefined {
  if (after === '') return 'a message cannot be empty'
  if (!isSendable(after)) return 'the new payload has characters that SQS does not take'
  if (isFifo(record.eventSourceARN)) {
    return (
      'its queue is FIFO: the corrected message would go behind the later ones of its group. Archive the group to a file ' +
      '(lineclear dlq archive), correct it there, and redrive the file'
    )
  }
  const { flow } = envelope.carried
  if (flow?.undo === true) return 'it asks for an undo, and has no payload'
  if (flow?.from === '' && flow.timeout !== true) {
    return (
      'its run has begun with this payload, and the record of the flow compares it. Start the request again with the corrected ' +
      'payload, and stop listing this one: lineclear flow forget'
    )
  }
  return undefined
}

function notesOn({ identity }: DeadLetter, consumer: string | undefined): readonly string[] {
  const stays =
    'identity, attributes and age stay. If the consumer computes id(payload), it must give the same id'
  if (consumer !== undefined || identity === 'stamped') return [stays]
  return [
    stays,
    'the message names no consumer: if one has begun it, give --consumer NAME, or it will be refused as a conflict',
  ]
}

async function loadToken(
  store: Store,
  consumer: string,
  id: string,
): Promise<Token | undefined | 'unreadable'> {
  const item = await loadItem(store, tokenKey(consumer, id))
  return item && (readToken(item) ?? 'unreadable')
}

/** Applied, or applied by the same command before its answer was lost. */
async function accepts(store: Store, update: Update): Promise<boolean> {
  const outcome = outcomeOrThrow(await store.update([update]))
  return outcome.kind === 'applied' || outcome.item?.['payloadHash'] === update.set?.['payloadHash']
}
