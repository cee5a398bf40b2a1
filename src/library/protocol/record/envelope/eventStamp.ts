import { UnknownFormatError } from '../../../base/errors.ts'
import type { OpenedEvent } from './envelope.ts'
import type { OutgoingMessage } from './buildMessage.ts'
import { decodeId, decodePacked, ID_ATTRIBUTE, PACKED_ATTRIBUTE } from './lineclearAttributes.ts'

/** An event of EventBridge has no attributes: Lineclear's two are two of its `resources`, `name=text`. */
export function toResources({ attributes }: Pick<OutgoingMessage, 'attributes'>): string[] {
  return [ID_ATTRIBUTE, PACKED_ATTRIBUTE].flatMap((name) => {
    const attribute = attributes[name]
    return attribute !== undefined && 'StringValue' in attribute
      ? [`${name}=${attribute.StringValue}`]
      : []
  })
}

/** The text of an attribute that an event has among its resources. */
export function resourceOf(name: string, resources: readonly unknown[]): string | undefined {
  const prefix = `${name}=`
  const found = resources.find((each) => typeof each === 'string' && each.startsWith(prefix))
  return typeof found === 'string' ? found.slice(prefix.length) : undefined
}

/**
 * An event is no copy and continues no run: a sender that may put events on the bus says only when, and after what, it was made.
 * @param now times after it are not believed, epoch milliseconds
 */
export function eventStampOf(
  resources: readonly unknown[],
  now: number,
): NonNullable<OpenedEvent['stamp']> {
  const read = (name: string) => ({ type: 'String', value: resourceOf(name, resources) ?? '' })
  const packed = decodePacked(read(PACKED_ATTRIBUTE), now, ignored)
  const id = decodeId(read(ID_ATTRIBUTE), ignored)
  if (packed === undefined) return { id }
  if (packed instanceof UnknownFormatError) return { id, packed }
  const { hops, sentAt, takenAt, traceparent } = packed
  return {
    id,
    packed: {
      resendNumber: 0,
      hops,
      ...(sentAt !== undefined && { sentAt }),
      ...(takenAt !== undefined && { takenAt }),
      ...(traceparent !== undefined && { traceparent }),
    },
  }
}

function ignored(): void {}
