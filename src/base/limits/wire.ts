/** A value and an item as DynamoDB's API writes them; the SDK's `AttributeValue` fits. */
export interface WireValue {
  readonly S?: string | undefined
  readonly N?: string | undefined
  readonly B?: Uint8Array | undefined
  readonly BOOL?: boolean | undefined
  readonly NULL?: boolean | undefined
  readonly SS?: readonly string[] | undefined
  readonly NS?: readonly string[] | undefined
  readonly BS?: readonly Uint8Array[] | undefined
  readonly L?: readonly WireValue[] | undefined
  readonly M?: WireItem | undefined
}
export type WireItem = Readonly<Record<string, WireValue>>
