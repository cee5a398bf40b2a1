import type { Envelope } from './envelope.ts'

/**
 * A form of event that an AWS service puts on a queue. `eventBridgeEvents()` and `s3Notifications()` make them for the option
 * `envelopes`.
 */
export interface EventFormat {
  /**
   * Never throws.
   * @param queueArn the queue that the message came from
   * @returns what opening the event changes in the envelope; undefined: the body has another form, and remains payload
   */
  open(body: string, queueArn: string): OpenedEvent | undefined
}

/** What opening an event changes in the envelope: the payload, the identity and time of the event, or why it cannot be read. */
export type OpenedEvent = Partial<
  Pick<Envelope, 'body' | 'event' | 'eventBridge' | 's3' | 'refusal' | 'divided' | 'unlisted'>
>

export function openEvent(
  body: string,
  formats: readonly EventFormat[] | undefined,
  queueArn: string,
): OpenedEvent | undefined {
  let unlisted: OpenedEvent | undefined
  for (const format of formats ?? []) {
    const opened = format.open(body, queueArn)
    if (opened !== undefined && opened.unlisted === undefined) return opened
    unlisted ??= opened
  }
  return unlisted
}
