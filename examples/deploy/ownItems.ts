/**
 * A function reads and writes only those items of the framework's table that belong to its own consumer or flow, whose name
 * begins their partition keys. Without it, an attacker in one function could end, free or forge the requests of all others.
 */
export function ownItems(prefixes: readonly string[]): object[] {
  const Resource = [{ 'Fn::GetAtt': ['LineclearTable', 'Arn'] }]
  const own = { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': prefixes } }
  // A call without keys would fulfil a condition on all of its keys.
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

/** Actions that write many records at once. */
const STATEMENT_ACTIONS = ['dynamodb:PartiQLInsert', 'dynamodb:PartiQLUpdate']
