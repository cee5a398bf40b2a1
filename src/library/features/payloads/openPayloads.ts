import { hash } from 'node:crypto'
import { RejectedError, TerminalError } from '../../base/errors.ts'
import { parseObject, toMessageJson } from '../../protocol/record/envelope/json.ts'
import type { CarriedPayload, LargePayloads } from '../../protocol/record/envelope/envelope.ts'

/** Texts by name, written whole: a reader finds the text of the last write, or none. */
interface PayloadObjects {
  /** For operators, such as `s3://bucket/prefix/name`. */
  placeOf(name: string): string
  /** Repeating it changes nothing. @throws StoreUnavailableError */
  put(name: string, text: string): Promise<void>
  /**
   * @returns undefined when there is none, or when it has not exactly `bytes` bytes
   * @throws StoreUnavailableError
   */
  get(name: string, bytes: number): Promise<string | undefined>
}

/**
 * Keeps payloads under the hash of their content: two payloads never share a name, and an attempt that runs again writes the same
 * object again. A message names no place, so a sender cannot choose what the consumer reads.
 * @param maxBytes the largest payload that is written or read
 */
export function openPayloads(objects: PayloadObjects, maxBytes: number): LargePayloads {
  return {
    move: (payload) => {
      const carried = describe(payload)
      // @protects no payload is sent that a consumer would not read
      if (carried.bytes > maxBytes) throw tooLarge(carried, maxBytes)
      const text = `lineclear: the payload is at ${objects.placeOf(carried.sha256)} (${carried.bytes} bytes)`
      return {
        carried,
        replaceIn: (body) => (body === payload ? text : notificationWith(text, body)),
        store: () => objects.put(carried.sha256, payload),
      }
    },
    read: async (carried) => {
      const { sha256, bytes } = carried
      // @protects a message cannot fill the memory of its consumer
      if (bytes > maxBytes)
        throw unreadable(carried, `maxBytes of the option offload is ${maxBytes}`)
      const payload = await objects.get(sha256, bytes)
      const place = objects.placeOf(sha256)
      if (payload === undefined) throw missing(carried, place)
      // @protects another payload is not taken for the one that was sent
      if (!isSame(describe(payload), carried)) {
        throw unreadable(carried, `what is at ${place} is not what was sent: its hash differs`)
      }
      return payload
    },
  }
}

function describe(payload: string): CarriedPayload {
  return {
    sha256: hash('sha256', payload),
    bytes: Buffer.byteLength(payload),
  }
}

function isSame(one: CarriedPayload, other: CarriedPayload): boolean {
  return one.sha256 === other.sha256 && one.bytes === other.bytes
}

/** Its other fields stay: a receiver takes identity and times from them. */
function notificationWith(text: string, body: string): string {
  return toMessageJson({ ...parseObject(body), Message: text })
}

function tooLarge({ bytes }: CarriedPayload, maxBytes: number): TerminalError {
  return new TerminalError(
    `The message was not sent: its payload has ${bytes} bytes, and maxBytes of the option offload is ${maxBytes}; trying again cannot help. ` +
      'Send a reference to the data in its place.',
  )
}

function missing(carried: CarriedPayload, place: string): RejectedError {
  return unreadable(
    carried,
    `there is no object of this size at ${place}: a lifecycle rule has expired it, it was deleted or overwritten, or its ` +
      'sender keeps payloads elsewhere. Put it back there, then redrive the message',
  )
}

function unreadable({ bytes }: CarriedPayload, why: string): RejectedError {
  return new RejectedError(`the payload of ${bytes} bytes is not in the message, and ${why}`)
}
