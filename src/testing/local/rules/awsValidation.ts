import {
  actionOf,
  type SdkAnswer,
  type SdkMiddleware,
  type NextHandler,
} from '../sdk/instrument.ts'
import { toClientError, toFailedEntry } from '../sdk/refusal.ts'
import type { AwsRefusal } from '../../queues/refuseEntry.ts'
import {
  refusePublish,
  refusePublishBatch,
  type Published,
  refuseSendMessage,
  refuseChangeVisibility,
} from './messageRules.ts'

interface Input {
  readonly QueueUrl?: string
  readonly TopicArn?: string
  readonly Entries?: readonly Entry[]
  readonly PublishBatchRequestEntries?: readonly Entry[]
  readonly MessageAttributeNames?: readonly string[]
}
interface Entry {
  readonly Id?: string
}

/** Refuses requests that AWS refuses and the engines accept, so that a program that runs here also runs on AWS. */
export function awsValidation(isRawTopic: (arn: string) => boolean): SdkMiddleware {
  return (next, context) => async (call) => {
    try {
      return await checked(actionOf(context), call.input, (changed) =>
        next({ ...call, ...changed }),
      )
    } catch (error) {
      throw asAwsNames(error)
    }
  }

  function checked(action: string, input: Input, send: NextHandler): Promise<SdkAnswer> {
    const raw = isRawTopic(input.TopicArn ?? '')
    switch (action) {
      case 'SendMessage':
        return unless(refuseSendMessage(input as object, input.QueueUrl ?? ''), input, send)
      case 'SendMessageBatch':
        return entryByEntry(input, 'Entries', send, (entry) =>
          refuseSendMessage(entry, input.QueueUrl ?? ''),
        )
      case 'ChangeMessageVisibility':
        return unless(refuseChangeVisibility(input as object), input, send)
      case 'ChangeMessageVisibilityBatch':
        return entryByEntry(input, 'Entries', send, refuseChangeVisibility)
      case 'ReceiveMessage':
        return withholdAttributes(input, send)
      case 'Publish':
        return unless(refusePublish(input as object, raw), input, send)
      case 'PublishBatch':
        return publishBatch(input, send, raw)
      default:
        return unless(refuseExpressions(input as object), input, send)
    }
  }
}

/** fauxqs adds a prefix of the old query protocol to error names. */
function asAwsNames(error: unknown): unknown {
  const prefix = 'AWS.SimpleQueueService.'
  if (error instanceof Error && error.name.startsWith(prefix)) {
    error.name = error.name.slice(prefix.length)
  }
  return error
}

function unless(
  refusal: AwsRefusal | undefined,
  input: object,
  send: NextHandler,
): Promise<SdkAnswer> {
  if (refusal !== undefined) throw toClientError(refusal)
  return send({ input })
}

function publishBatch(input: Input, send: NextHandler, raw: boolean): Promise<SdkAnswer> {
  const refusal = refusePublishBatch((input.PublishBatchRequestEntries ?? []) as Published[])
  if (refusal !== undefined) throw toClientError(refusal)
  return entryByEntry(input, 'PublishBatchRequestEntries', send, (entry) =>
    refusePublish(entry, raw),
  )
}

/** Sends the entries that AWS would accept, and reports the others as AWS does: HTTP 200, in `Failed`. */
async function entryByEntry(
  input: Input,
  list: 'Entries' | 'PublishBatchRequestEntries',
  send: NextHandler,
  refuse: (entry: object) => AwsRefusal | undefined,
): Promise<SdkAnswer> {
  const entries = input[list] ?? []
  refuseLongIds(entries)
  const failed = entries.flatMap((entry) => {
    const refusal = refuse(entry)
    return refusal === undefined ? [] : [{ entry, refused: toFailedEntry(entry.Id, refusal) }]
  })
  if (failed.length === 0) return send({ input })
  const refused = new Set(failed.map(({ entry }) => entry))
  const good = entries.filter((entry) => !refused.has(entry))
  const answer =
    good.length === 0 ? emptyAnswer() : await send({ input: { ...input, [list]: good } })
  return withFailed(
    answer,
    failed.map(({ refused }) => refused),
  )
}

function refuseLongIds(entries: readonly Entry[]): void {
  if (entries.every(({ Id = '' }) => Id.length <= 80)) return
  throw toClientError({
    code: 'InvalidBatchEntryId',
    message:
      'A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 letters long.',
  })
}

function emptyAnswer(): SdkAnswer {
  const output = { $metadata: { httpStatusCode: 200, attempts: 1 }, Successful: [], Failed: [] }
  return { output, response: undefined }
}

function withFailed(answer: SdkAnswer, failed: readonly object[]): SdkAnswer {
  const output = answer.output as { readonly Failed?: readonly object[] }
  return { ...answer, output: { ...output, Failed: [...(output.Failed ?? []), ...failed] } }
}

/** SQS returns only the requested attributes; fauxqs 2.4.1 always returns all. */
async function withholdAttributes(input: Input, send: NextHandler): Promise<SdkAnswer> {
  const answer = await send({ input })
  if (input.MessageAttributeNames?.length) return answer
  const { Messages = [] } = answer.output as { readonly Messages?: readonly object[] }
  const messages = Messages.map((message) => ({
    ...message,
    MessageAttributes: undefined,
    MD5OfMessageAttributes: undefined,
  }))
  if (messages.length === 0) return answer
  return { ...answer, output: { ...answer.output, Messages: messages } }
}

/** One request, or one action of a transaction. */
interface Action {
  readonly ConditionExpression?: string
  readonly UpdateExpression?: string
  readonly ProjectionExpression?: string
  readonly FilterExpression?: string
  readonly KeyConditionExpression?: string
}
interface Request extends Action {
  readonly TransactItems?: readonly Readonly<Record<string, Action | undefined>>[]
}

/**
 * Expressions hold names, placeholders and operators: all ASCII. DynamoDB answers anything else with a syntax error;
 * dynoxide 1.2.1 aborts its process (GHSA-gwhp-7jch-7xj6), so the request must not reach it.
 */
function refuseExpressions(request: Request): AwsRefusal | undefined {
  const inTransaction = (request.TransactItems ?? []).flatMap((item) => Object.values(item))
  for (const action of [request, ...inTransaction]) {
    const refusal = action && refuseAction(action)
    if (refusal !== undefined) return refusal
  }
  return undefined
}

function refuseAction(action: Action): AwsRefusal | undefined {
  const { ConditionExpression, UpdateExpression, ProjectionExpression } = action
  const { FilterExpression, KeyConditionExpression } = action
  const [foreign] =
    /[^\t\n\r\x20-\x7E]/u.exec(
      [
        ConditionExpression,
        UpdateExpression,
        ProjectionExpression,
        FilterExpression,
        KeyConditionExpression,
      ].join(''),
    ) ?? []
  if (foreign === undefined) return undefined
  return {
    code: 'ValidationException',
    message: `Invalid expression: Syntax error; token: "${foreign}". Put the name behind a placeholder of ExpressionAttributeNames.`,
  }
}
