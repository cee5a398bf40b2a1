/** What a consumer does with its queue. */
export const QUEUE_ACTIONS: readonly string[] = [
  'sqs:ReceiveMessage',
  'sqs:DeleteMessage',
  'sqs:ChangeMessageVisibility',
  'sqs:GetQueueAttributes',
  'sqs:SendMessage',
]

/** What `idempotent`, lock tokens, and answers that a webhook hands in need of Lineclear's table. */
export const CALL_TABLE_ACTIONS: readonly string[] = [
  'dynamodb:GetItem',
  'dynamodb:BatchGetItem',
  'dynamodb:PutItem',
  'dynamodb:UpdateItem',
]
