import { type CommandRequest, readInput, type SdkCommand } from '../../queues/commands.ts'
import {
  type AwsRefusal,
  type CommandEntry,
  refuseBatch,
  refuseEntry,
  refuseVisibility,
  toFailedEntry,
  toSdkError,
} from '../../queues/refuseEntry.ts'
import { actionOf, type SdkAnswer, type SdkMiddleware, type NextHandler } from './instrument.ts'

type Input = SdkCommand['input'] & { readonly MessageAttributeNames?: readonly string[] }

/** Refuses requests that AWS refuses and fauxqs accepts, so that a program that runs here also runs on AWS. */
export function awsValidation(isRawTopic: (arn: string) => boolean): SdkMiddleware {
  return (next, context) => async (call) => {
    const send: NextHandler = (changed) => next({ ...call, ...changed })
    const action = actionOf(context)
    const input: Input = call.input
    try {
      if (action === 'ReceiveMessage') return await withholdAttributes(input, send)
      const check = CHECKS[action.replace(/Batch$/, '')]
      if (check === undefined) return await send({ input })
      const asked = readInput(action, input)
      const refuse = (entry: CommandEntry): AwsRefusal | undefined =>
        check(asked, entry, isRawTopic(input.TopicArn ?? ''))
      if (asked.isBatch) return await entryByEntry(asked, input, send, refuse)
      throwIf(refuse(input))
      return await send({ input })
    } catch (error) {
      throw asAwsNames(error)
    }
  }
}

type Check = (asked: CommandRequest, entry: CommandEntry, isRaw: boolean) => AwsRefusal | undefined

const checkMessage: Check = ({ service, target }, entry, isRaw) =>
  refuseEntry(service, target, entry, isRaw)

const CHECKS: Readonly<Record<string, Check>> = {
  SendMessage: checkMessage,
  Publish: checkMessage,
  ChangeMessageVisibility: (_, entry) => refuseVisibility(entry),
}

/** fauxqs adds a prefix of the old query protocol to error names. */
function asAwsNames(error: unknown): unknown {
  const prefix = 'AWS.SimpleQueueService.'
  if (error instanceof Error && error.name.startsWith(prefix)) {
    error.name = error.name.slice(prefix.length)
  }
  return error
}

function throwIf(refusal: AwsRefusal | undefined): void {
  if (refusal !== undefined) throw toSdkError(refusal)
}

/** Sends the entries that AWS would accept, and reports the others as AWS does: HTTP 200, in `Failed`. */
async function entryByEntry(
  { service, entries }: CommandRequest,
  input: Input,
  send: NextHandler,
  refuse: (entry: CommandEntry) => AwsRefusal | undefined,
): Promise<SdkAnswer> {
  throwIf(refuseBatch(service, entries))
  const judged = entries.map((entry) => ({ entry, refused: refuse(entry) }))
  const failed = judged.flatMap(({ entry, refused }) =>
    refused === undefined ? [] : [toFailedEntry(entry, refused)],
  )
  if (failed.length === 0) return send({ input })
  const good = judged.flatMap(({ entry, refused }) => (refused === undefined ? [entry] : []))
  const list = service === 'SQS' ? 'Entries' : 'PublishBatchRequestEntries'
  const answer =
    good.length === 0 ? emptyAnswer() : await send({ input: { ...input, [list]: good } })
  const { Failed = [] } = answer.output as { readonly Failed?: readonly object[] }
  return { ...answer, output: { ...answer.output, Failed: [...Failed, ...failed] } }
}

function emptyAnswer(): SdkAnswer {
  const output = { $metadata: { httpStatusCode: 200, attempts: 1 }, Successful: [], Failed: [] }
  return { output, response: undefined }
}

/** SQS returns only the requested attributes; fauxqs 2.4.1 always returns all. */
async function withholdAttributes(input: Input, send: NextHandler): Promise<SdkAnswer> {
  const answer = await send({ input })
  if (input.MessageAttributeNames?.length) return answer
  const { Messages } = answer.output as { readonly Messages?: readonly object[] }
  if (Messages === undefined) return answer
  const nothing = { MessageAttributes: undefined, MD5OfMessageAttributes: undefined }
  const messages = Messages.map((message) => ({ ...message, ...nothing }))
  return { ...answer, output: { ...answer.output, Messages: messages } }
}
