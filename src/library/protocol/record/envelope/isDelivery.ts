import { isObject } from '../../../base/kindOf.ts'

/** Whether it has the form of a delivery, readable or not. A payload of a user may have a field `Data`, and another one beside it. */
export function isDelivery(value: unknown): value is Readonly<Record<string, unknown>> & {
  readonly SystemMetadata: Readonly<Record<string, unknown>>
} {
  if (!isObject(value) || !Object.hasOwn(value, 'Data')) return false
  const { SystemMetadata: system } = value
  // The one field that EventBridge always sets.
  return isObject(system) && Object.hasOwn(system, 'aws:DeliveryType')
}
