import { toTime } from '../../../base/time.ts'
import { isDelivery } from './isDelivery.ts'
import { isUniqueRequestId } from './lineclearAttributes.ts'

/** An event as a Custom Event Bus delivers it to a subscriber with `Transformer.Type: WITH_METADATA`. */
export interface BusDelivery {
  /** The same in every delivery and in every replay. */
  readonly id: string
  /** What was published: by `PutEvents` an event of EventBridge, by `PutRawEvents` anything. */
  readonly data: unknown
  readonly metadata: unknown
  /** Known of what was put by `PutEvents`, or came from a service. */
  readonly source: string | undefined
  /** When the bus accepted it, epoch milliseconds. */
  readonly takenAt: number | undefined
  readonly isReplay: boolean
}

const FORM: readonly string[] = ['Data', 'Metadata', 'SystemMetadata']

/** @returns undefined: it is something else; a text: it is a delivery that cannot be read, and why */
export function readDelivery(value: unknown): BusDelivery | string | undefined {
  if (!isDelivery(value)) return undefined
  const { Data: data, Metadata: metadata = {}, SystemMetadata: system } = value
  const { 'aws:EventId': id, 'aws:DeliveryType': type, 'aws:Source': source } = system
  if (!isUniqueRequestId(id)) return 'its aws:EventId is missing, or no id'
  if (type !== 'LIVE' && type !== 'REPLAY') return 'its aws:DeliveryType is not known'
  if (!Object.keys(value).every((name) => FORM.includes(name)))
    return 'it has fields that are not known'
  return {
    id,
    data,
    metadata,
    source: typeof source === 'string' ? source : undefined,
    takenAt: toTime(system['aws:IngestionTime']),
    isReplay: type === 'REPLAY',
  }
}
