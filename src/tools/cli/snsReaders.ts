import { loadSnsReaders, type MissingClient, type SnsReaders } from '../doctor/account/clients.ts'
import { OPERATOR_TIMES } from '../operator/aws/queues.ts'
import type { Shared } from './lambdaClients.ts'
import type { CliProcess } from './process.ts'
import type { LocalEndpoints } from './readLocal.ts'

/** @param local undefined: the account */
export async function snsReaders(
  { sns }: Pick<CliProcess, 'sns'>,
  shared: Shared,
  local: LocalEndpoints | undefined,
): Promise<SnsReaders | MissingClient> {
  if (sns !== undefined) return () => sns
  const endpoint = local?.sns
  if (local !== undefined && endpoint === undefined) return NO_SNS
  const at = endpoint === undefined ? {} : { endpoint }
  return loadSnsReaders({ requestHandler: OPERATOR_TIMES, ...shared, ...at })
}

const NO_SNS = { why: '.lineclear/local.json names no "sns"', cure: 'Give --template' }
