import { DynamoDBClient } from '@aws-sdk/client-dynamodb'

/** Whether a client works as the SDK made it: then no middleware of the user's misses a call that goes past it. */
export interface PlainClient {
  /** Checked before each call: a tracer or a test double may come later, and go again. */
  isUntouched(): boolean
  /** Checked once: the configuration does not change. */
  isConfiguredPlainly(): Promise<boolean>
}

/** Compares with a new client of the same SDK. It opens no connection and reads no credentials. */
export function plainClient(client: DynamoDBClient): PlainClient {
  const fresh = new DynamoDBClient({
    region: 'us-east-1',
    credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
  })
  const send = isOfTheSdk(fresh.send) ? fresh.send : undefined
  const middleware = middlewareOf(fresh)
  return {
    isUntouched: () => client.send === send && middlewareOf(client) === middleware,
    async isConfiguredPlainly() {
      const [one, other] = [client.config, fresh.config]
      return (
        Object.getPrototypeOf(client) === DynamoDBClient.prototype &&
        one.extensions.length === 0 &&
        haveOneClass(one.protocol, other.protocol) &&
        // A logger of the user's is told of each call by a middleware.
        haveOneClass(one.logger, other.logger) &&
        // An adaptive or custom strategy may hold calls back.
        haveOneClass(await one.retryStrategy(), await other.retryStrategy()) &&
        (await one.endpointDiscoveryEnabled()) !== true
      )
    },
  }
}

/** Tracers and test doubles put a function of their own around `send`, or in its place. The names of properties outlive minifiers. */
function isOfTheSdk(send: DynamoDBClient['send']): boolean {
  return String(send).includes('resolveMiddleware')
}

function middlewareOf({ middlewareStack }: DynamoDBClient): string {
  return middlewareStack.identify().join()
}

function haveOneClass(one: object | undefined, other: object | undefined): boolean {
  return one?.constructor === other?.constructor
}
