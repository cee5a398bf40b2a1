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
  client.middlewareStack.add(
    (next, context) => async (args) => {
      let response: unknown
      const send = async (input: ServiceInputTypes = args.input): Promise<ServiceOutputTypes> => {
        const result = await next({ ...args, input })
        response = result.response
        return result.output
      }
      const command = String(context['commandName'])
      const output = await react({ command, input: args.input, nth: calls++, send })
      return { response, output }
    },
    where === 'around'
      ? { step: 'initialize', name: 'fault' }
      : { step: 'deserialize', priority: 'high', name: 'fault' },
  )
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
  const responses = 'Responses' in output && Array.isArray(output.Responses) ? output.Responses : []
  const sent = responses.values()
  return { ...NO_RESPONSES, Responses: answers.map((one) => one ?? next(sent)) }
}

const NO_RESPONSES: BatchExecuteStatementCommandOutput = { $metadata: {}, Responses: [] }

function next(responses: IterableIterator<BatchStatementResponse>): BatchStatementResponse {
  const { value, done } = responses.next()
  if (done) throw new Error('a statement was not answered')
  return value
}
