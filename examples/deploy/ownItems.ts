/**
 * Of the framework's table, a function reads and writes only the items of its own consumer or flow, whose name begins their partition
 * keys. Without it, whoever takes over one function could end, free or forge the requests of all others.
 */
export function ownItems(prefixes: readonly string[]): object[] {
  const Resource = [{ 'Fn::GetAtt': ['LineclearTable', 'Arn'] }]
  const own = { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': prefixes } }
  // Of no key at all, everything that is said of all keys is true.
  const Condition = { ...own, Null: { 'dynamodb:LeadingKeys': 'false' } }
  return [
    { Effect: 'Allow', Action: ITEM_ACTIONS, Resource, Condition },
    { Effect: 'Allow', Action: STATEMENT_ACTIONS, Resource, Condition },
  ]
}

/** What a claim, an effect and an end need. */
const ITEM_ACTIONS = [
  'dynamodb:GetItem',
  'dynamodb:BatchGetItem',
  'dynamodb:PutItem',
  'dynamodb:UpdateItem',
]

/** Of many records at once. */
const STATEMENT_ACTIONS = ['dynamodb:PartiQLInsert', 'dynamodb:PartiQLUpdate']
