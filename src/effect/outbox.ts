import { toMilliseconds } from '../duration.ts'
import { buildMessage } from '../envelope/outgoing.ts'
import type { Carried, Envelope } from '../envelope/envelope.ts'
import { ConfigError, QueueRefusedError } from '../errors.ts'
import { stableId } from '../ids.ts'
import type { Messenger, Outbound } from '../queue/messenger.ts'
import { isFifo } from '../queue/queueUrl.ts'
import { MAX_DELAY_MS } from '../retry/transport.ts'
import type { PublishOptions, SendOptions, SentMessage } from './context.ts'

type Route = 'send' | 'publish'

export interface Sender {
  readonly consumer: string
  readonly uniqueRequestId: string
  readonly sentAt: number
  readonly envelope: Envelope
}

/** What a handler sends waits here until its other effects are done, so that nobody acts on work that was not. */
export interface Outbox {
  add(
    route: Route,
    target: string,
    payload: unknown,
    options: SendOptions | PublishOptions,
    run?: SentInRun,
  ): SentMessage
  /** @throws QueueRefusedError when a message was not accepted; the ids are the same next time. */
  flush(messenger: Messenger): Promise<void>
}

/** What a message to a stage of the same flow carries besides. */
export type SentInRun = Pick<Carried, 'flow' | 'notBefore'>

interface Letter {
  readonly route: Route
  readonly target: string
  readonly message: Outbound
}

export function openOutbox(sender: Sender): Outbox {
  const letters: Letter[] = []
  const used = new Map<string, number>()
  return {
    add(route, target, payload, options, run) {
      const name = JSON.stringify([route, target, options.name])
      const index = used.get(name) ?? 0
      if (index > 0 && options.name !== undefined) throw usedTwice(options.name, target)
      used.set(name, index + 1)
      const id = stableId(sender.uniqueRequestId, sender.consumer, name, String(index))
      letters.push({ route, target, message: write(sender, id, target, payload, options, run) })
      return { uniqueRequestId: id }
    },
    async flush(messenger) {
      const targets = Map.groupBy(letters, ({ route, target }) => `${route} ${target}`)
      await Promise.all([...targets.values()].map((group) => deliver(messenger, group)))
    },
  }
}

function write(
  sender: Sender,
  id: string,
  target: string,
  payload: unknown,
  options: SendOptions,
  run: SentInRun | undefined,
): Outbound {
  const { traceparent, hops } = sender.envelope.carried
  const message = buildMessage(textOf(payload, target), options.attributes ?? {}, {
    uniqueRequestId: id,
    retry: 0,
    hops: hops + 1,
    sentAt: sender.sentAt,
    ...(traceparent === undefined ? {} : { traceparent }),
    ...run,
  })
  return { ...message, ...delayOf(options, target), ...orderOf(options, target, id) }
}

function textOf(payload: unknown, target: string): string {
  const text: string | undefined = JSON.stringify(payload)
  if (text === undefined) {
    throw new ConfigError(`a message for ${target}: expected a JSON value, got ${typeof payload}`)
  }
  return text
}

function delayOf({ delay }: SendOptions, target: string): { delaySeconds?: number } {
  if (delay === undefined) return {}
  const milliseconds = toMilliseconds('delay', delay)
  if (isFifo(target) || milliseconds > MAX_DELAY_MS) {
    throw new ConfigError(
      `delay: a message for ${target} can wait at most 15 minutes, and on a FIFO queue not by itself; got ${delay}`,
    )
  }
  return { delaySeconds: Math.ceil(milliseconds / 1_000) }
}

function orderOf(
  { groupId }: PublishOptions,
  target: string,
  id: string,
): { groupId?: string; deduplicationId?: string } {
  if (!isFifo(target)) return groupId === undefined ? {} : { groupId }
  if (groupId === undefined) {
    throw new ConfigError(`groupId: a message for the FIFO target ${target} needs one; got nothing`)
  }
  return { groupId, deduplicationId: id }
}

async function deliver(messenger: Messenger, letters: readonly Letter[]): Promise<void> {
  const [first] = letters
  if (first === undefined) return
  const messages = letters.map(({ message }) => message)
  const outcomes = await messenger[first.route](first.target, messages)
  const refusal = outcomes.find((outcome) => outcome !== undefined)
  if (refusal === undefined) return
  throw new QueueRefusedError(
    `${first.target} did not take a message (${refusal.message}); the record is tried again, with the same message ids`,
    { cause: refusal },
  )
}

function usedTwice(name: string, target: string): ConfigError {
  return new ConfigError(
    `name: '${name}' names two messages for ${target}; the second would be taken for a copy of the first`,
  )
}
