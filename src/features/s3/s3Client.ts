import type { S3Client } from '@aws-sdk/client-s3'
import { perEnvironment } from '../../base/lazily.ts'

/** Milliseconds: the SDK's own default has no limit. An object has a few megabytes. */
const TIMES = { connectionTimeout: 1_000, requestTimeout: 5_000, throwOnRequestTimeout: true }

/** The SDK's package and a client. */
interface LoadedS3 {
  readonly sdk: typeof import('@aws-sdk/client-s3')
  readonly client: S3Client
}

/** Loaded at the first large object: most functions never have one. @param client default: one made from the environment */
export function lazyS3(client: S3Client | undefined): () => Promise<LoadedS3> {
  let made: Promise<LoadedS3> | undefined
  return () => (made ??= load(client))
}

type S3Sdk = LoadedS3['sdk']
const defaultS3 = perEnvironment((sdk: S3Sdk) => new sdk.S3Client({ requestHandler: TIMES }))

async function load(client: S3Client | undefined): Promise<LoadedS3> {
  const sdk = await import('@aws-sdk/client-s3')
  return { sdk, client: client ?? defaultS3(sdk) }
}
