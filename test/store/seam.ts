import type { DeserializeMiddleware, InitializeMiddleware } from '@smithy/types'
import type {
  BatchExecuteStatementCommandOutput,
  BatchStatementRequest,
  BatchStatementResponse,
  DynamoDBClient,
  ServiceInputTypes,
  ServiceOutputTypes,
} from '@aws-sdk/client-dynamodb'

/** A request on its way: `send` carries it out, with another input if one is given. */
export interface Call {
  readonly command: string
  readonly input: ServiceInputTypes
  readonly nth: number
  send(input?: ServiceInputTypes): Promise<ServiceOutputTypes>
}

/** Injects faults where the SDK hands a request over. `inside`: within the SDK's own repeats, else around them. */
export function intercept(
  client: DynamoDBClient,
  where: 'inside' | 'around',
  react: (call: Call) => Promise<ServiceOutputTypes>,
): DynamoDBClient {
  let calls = 0
  const around: InitializeMiddleware<ServiceInputTypes, ServiceOutputTypes> =
    (next, context) => async (args) => {
      const send = async (input = args.input): Promise<ServiceOutputTypes> =>
        (await next({ ...args, input })).output
      const command = String(context['commandName'])
      const output = await react({ command, input: args.input, nth: calls++, send })
      return { response: undefined, output }
    }
  const inside: DeserializeMiddleware<ServiceInputTypes, ServiceOutputTypes> =
    (next, context) => async (args) => {
      let response: unknown
      const send = async (): Promise<ServiceOutputTypes> => {
        const result = await next(args)
        response = result.response
        return result.output ?? NO_RESPONSES
      }
      const command = String(context['commandName'])
      const output = await react({ command, input: args.input, nth: calls++, send })
      return { response, output }
    }
  if (where === 'around') client.middlewareStack.add(around, { step: 'initialize' })
  else client.middlewareStack.add(inside, { step: 'deserialize', priority: 'high' })
  return client
}

/** The names of the requests that reach the engine, in their order. */
export function countRequests(client: DynamoDBClient): string[] {
  const requests: string[] = []
  intercept(client, 'around', ({ command, send }) => {
    requests.push(command)
    return send()
  })
  return requests
}

/** An error as the service would send it. */
export function serviceError(name: string, fields: object = {}): Error {
  return Object.assign(new Error('injected'), { name, $fault: 'client', $metadata: {}, ...fields })
}

/** What the SDK sees when the connection breaks: it repeats the call. */
export function lostAnswer(): Error {
  return Object.assign(new Error('socket hang up'), { name: 'TimeoutError', code: 'ECONNRESET' })
}

/** Lets the statements pass that `answer` has nothing to say about, and answers the others in their place. */
export async function answerStatements(
  { input, send }: Call,
  answer: (statement: BatchStatementRequest, at: number) => BatchStatementResponse | undefined,
): Promise<BatchExecuteStatementCommandOutput> {
  const statements = 'Statements' in input ? (input.Statements ?? []) : []
  const answers = statements.map((statement, at) => answer(statement, at))
  const passed = statements.filter((_, at) => answers[at] === undefined)
  const output = passed.length > 0 ? await send({ Statements: passed }) : NO_RESPONSES
  const sent = isOfStatements(output) ? (output.Responses ?? []) : []
  let used = 0
  return { ...NO_RESPONSES, Responses: answers.flatMap((one) => one ?? sent.slice(used, ++used)) }
}

const NO_RESPONSES: BatchExecuteStatementCommandOutput = { $metadata: {}, Responses: [] }

function isOfStatements(output: ServiceOutputTypes): output is BatchExecuteStatementCommandOutput {
  return 'Responses' in output && Array.isArray(output.Responses)
}
