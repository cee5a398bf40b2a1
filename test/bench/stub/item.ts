/** An attribute as the JSON protocol of DynamoDB writes it; bytes as base64. */
export interface Attribute {
  readonly S?: string
  readonly N?: string
  readonly B?: string
  readonly BOOL?: boolean
  readonly NULL?: boolean
  readonly SS?: readonly string[]
  readonly NS?: readonly string[]
  readonly BS?: readonly string[]
  readonly L?: readonly Attribute[]
  readonly M?: Item
}

export type Item = Readonly<Record<string, Attribute>>
