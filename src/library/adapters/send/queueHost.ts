import type { SQSClient } from '@aws-sdk/client-sqs'
import { ConfigError } from '../../base/errors.ts'
import { arnParts, DOMAINS, queueUrlOf } from '../../protocol/send/queueUrl.ts'

/**
 * The URL under which this client reaches the queue. A client uses the host of a queue's URL as its endpoint: with a public URL
 * it would bypass FIPS, dual stack or a VPC endpoint. A URL may come from a row or a message: with a host that is not of SQS the
 * client would send the session token of its role there.
 * @param queue a URL, which stays as it is, or an ARN
 * @throws ConfigError when the client would call a host that is neither its own nor one of SQS
 */
export async function queueUrlFor(queue: string, client: SQSClient): Promise<string> {
  if (!queue.startsWith('arn:')) {
    // @protects a URL in a row sends no session token to another host
    await checkHost(queue, client)
    return queue
  }
  const { region, account, name } = arnParts(queue)
  const origin = await originOf(client, region)
  return origin === undefined ? queueUrlOf(queue) : `${origin}/${account}/${name}`
}

/** Each as the SDK or AWS writes it: regional, FIPS, of a VPC endpoint, dual stack, and the old ones. */
const SQS_HOST = new RegExp(
  `^(?:(?:vpce-[a-z0-9-]+\\.)?sqs(?:-fips)?\\.[a-z0-9-]+(?:\\.vpce)?|(?:[a-z0-9-]+\\.)?queue)\\.(?:${[
    'api.aws',
    ...Object.values(DOMAINS),
  ]
    .map((domain) => domain.replaceAll('.', '\\.'))
    .join('|')})$`,
)

async function checkHost(url: string, client: SQSClient): Promise<void> {
  const { config } = client
  const given = process.env['AWS_ENDPOINT_URL_SQS'] ?? process.env['AWS_ENDPOINT_URL']
  // A client in memory calls nothing, and these call their own endpoint, whatever the URL says.
  if (config === undefined || !config.useQueueUrlAsEndpoint) return
  const own = async (): Promise<string | undefined> => originOf(client, await config.region())
  // The SDK stores an endpoint of the environment there with the first call, and goes on to follow the URL.
  if (config.endpoint !== undefined && !(given !== undefined && isAt(given, await own()))) return
  const { protocol, host, origin } = URL.canParse(url) ? new URL(url) : NO_URL
  if (protocol === 'https:' && SQS_HOST.test(host)) return
  if (given !== undefined && isAt(given, url)) return
  if (origin === (await own())) return
  throw new ConfigError(
    `The message was not sent: ${JSON.stringify(url)} has the host of neither SQS nor this client. If it is right, give the client ` +
      'the option endpoint, or useQueueUrlAsEndpoint: false.',
  )
}

const NO_URL = { protocol: '', host: '', origin: '' }

/** Whether a URL has this endpoint, or as some emulators write it, a name below. */
function isAt(endpoint: string, url = ''): boolean {
  if (!URL.canParse(endpoint) || !URL.canParse(url)) return false
  const [own, other] = [new URL(endpoint), new URL(url)]
  const isSame = own.protocol === other.protocol && own.port === other.port
  return isSame && `.${other.hostname}`.endsWith(`.${own.hostname}`)
}

/** @returns undefined when it is not a client of the SDK */
async function originOf({ config }: SQSClient, Region: string): Promise<string | undefined> {
  if (config === undefined) return undefined
  if (config.endpoint !== undefined) {
    const { protocol, hostname, port } = await config.endpoint()
    return `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}`
  }
  if (config.endpointProvider === undefined) return undefined
  const [UseFIPS, UseDualStack] = await Promise.all([
    config.useFipsEndpoint(),
    config.useDualstackEndpoint(),
  ])
  return config.endpointProvider({ Region, UseFIPS, UseDualStack }).url.origin
}
