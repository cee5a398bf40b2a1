import type { Logger } from '../../../src/library/base/logger.ts'
import { openStore } from '../../../src/library/adapters/store/dynamodb/dynamoDbStore.ts'
import type { Lean } from '../../../src/library/adapters/store/dynamodb/fast/leanCalls.ts'
import { post } from '../../../src/library/adapters/store/dynamodb/fast/post.ts'
import type { Store } from '../../../src/library/protocol/store/store.ts'
import type { LocalCloud } from '../../../src/testing/local/index.ts'
import type { NextHandler, SdkMiddleware } from '../../../src/testing/local/sdk/instrument.ts'

/**
 * A store as it is in a plain Lambda function: its calls leave without the SDK, and those whose answer is not clean are made again
 * through the SDK. Both get the faults of the cloud.
 */
export function storeOn(cloud: LocalCloud, logger: Logger): Store {
  return openStore({ tableName: 'lineclear', client: cloud.dynamodb, logger }, leanOn(cloud))
}

/** DynamoDB's refusal passes the faults as an error, like that of a client. */
class Refused extends Error {
  override readonly name = 'Refused'
  readonly answer: Awaited<ReturnType<Lean['post']>>

  constructor(answer: Awaited<ReturnType<Lean['post']>>) {
    super(answer.text)
    this.answer = answer
  }
}

function leanOn(cloud: LocalCloud): Lean {
  const { protocol, hostname, port, host } = new URL(cloud.endpoints.dynamodb ?? '')
  const seam = seamOf(cloud)
  const place = { hostname, port: Number(port), host, region: cloud.region } as const
  return {
    place: { ...place, protocol: protocol === 'https:' ? protocol : 'http:' },
    credentials: () => ({
      accessKeyId: 'local',
      secretAccessKey: 'local',
      sessionToken: undefined,
    }),
    async post(to, headers, body) {
      const send: NextHandler = async ({ input, request }) => {
        // A batch that another transaction has partly refused is sent without these statements.
        const text = JSON.stringify(input)
        const sent = { ...headers, 'content-length': String(Buffer.byteLength(text)) }
        // A half-open connection leads to a server that never answers.
        const answer = await post({ ...to, ...(request as object) }, sent, text)
        if (answer.status !== 200) throw new Refused(answer)
        return { output: JSON.parse(answer.text) as object, response: undefined }
      }
      const commandName = headers['x-amz-target']?.split('.')[1] ?? ''
      const call = { input: JSON.parse(body) as object, request: { hostname, port: to.port } }
      try {
        const { output } = await seam(send, { commandName })(call)
        return { status: 200, text: JSON.stringify(output) }
      } catch (error) {
        if (error instanceof Refused) return error.answer
        throw error
      }
    },
  }
}

/** The middleware that the cloud gives its clients, from the caller's side to the wire, in which order it adds them. */
function seamOf(cloud: LocalCloud): SdkMiddleware {
  const added: SdkMiddleware[] = []
  cloud.instrument({ middlewareStack: { add: (middleware) => void added.push(middleware) } })
  return (send, context) =>
    added.reduceRight((next: NextHandler, middleware) => middleware(next, context), send)
}
