import { RejectedError } from '../../base/errors.ts'
import type { Envelope } from '../../record/envelope/envelope.ts'
import { type EventFormat, openEvent } from '../../record/envelope/eventFormat.ts'
import type { LargePayloads } from '../../record/envelope/largePayloads.ts'

interface ReadPayloadOptions {
  readonly payloads: LargePayloads | undefined
  readonly envelopes?: readonly EventFormat[] | undefined
}

/**
 * The envelope with its payload, which may be kept elsewhere.
 * @throws RejectedError when it cannot be had; StoreUnavailableError when it cannot be read now
 */
export async function readPayload(
  envelope: Envelope,
  { payloads, envelopes }: ReadPayloadOptions,
  queueArn: string,
): Promise<Envelope> {
  const { payload } = envelope.carried
  if (payload === undefined) return envelope
  if (payloads !== undefined) {
    const body = await payloads.read(payload)
    return { ...envelope, body, ...openEvent(body, envelopes, queueArn) }
  }
  throw new RejectedError(
    `its sender keeps the payload of ${payload.bytes} bytes outside the message, and this consumer has no option payloads: give it ` +
      'the one of its sender, such as s3Payloads({ bucket }), and redrive the message',
  )
}
