import { loadSnsReaders, type MissingClient, type SnsReaders } from '../doctor/account/clients.ts'
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
  return local === undefined ? loadSnsReaders({ requestHandler: TIMES, ...shared }) : NO_SNS
}

/** An operator waits at the terminal: short timeouts, in milliseconds. */
const TIMES = { connectionTimeout: 3_000, requestTimeout: 10_000, throwOnRequestTimeout: true }
const NO_SNS = { why: 'the local cloud shows no topics', cure: 'Give --template' }
