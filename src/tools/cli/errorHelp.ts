import { hasCode, messageOf } from '../../library/base/errors.ts'
import { missingPackage } from '../doctor/account/clients.ts'

interface FailedCommand {
  readonly command: string
  readonly local: boolean
  readonly apply: boolean
  readonly table: string
}

interface ErrorHelp {
  readonly what: string
  readonly next: string
  /** The failure happened before any change could be made, even with `--apply`. */
  readonly before?: true
}

/** Three lines: what went wrong, what the command has changed, what to type next. */
export function errorHelp(error: unknown, asked: FailedCommand): readonly string[] {
  const { what, next, before: nothing } = helpFor(error, asked)
  return [what, effectLine(asked, nothing === true), next]
}

function effectLine({ apply, command }: FailedCommand, nothing: boolean): string {
  if (apply && !nothing) {
    return 'Earlier changes are kept; whether the last change was made is unknown. Run the same command again: it does what is left, and nothing twice.'
  }
  return command === 'dlq' && !nothing
    ? 'Nothing was changed. Dead letters that were looked at become visible again after a minute.'
    : 'Nothing was changed.'
}

const UNREACHABLE =
  /ECONN(REFUSED|RESET|ABORTED)|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|E(HOST|NET)UNREACH|EPIPE|Timeout/
const REFUSED_CREDENTIALS =
  /UnrecognizedClient|ExpiredToken|InvalidSignature|InvalidClientTokenId|MissingAuthentication|SignatureDoesNotMatch/
const THROTTLED = /Throttl|ProvisionedThroughput|RequestLimit|TooManyRequests/

/** By the names of errors from the SDK and the network, because the clients come from other packages. */
function helpFor(error: unknown, asked: FailedCommand): ErrorHelp {
  const root = rootOf(error)
  const why = whyOf(root)
  const missing = missingPackage(root)
  if (missing !== undefined) {
    const what = `${asked.command} needs ${missing}, which is not installed.`
    return before(what, `Type: npm install --save-dev ${missing}`)
  }
  if (/Region is missing/.test(why)) {
    return before('No AWS region is configured.', `Give --region, or set AWS_REGION. ${LOCAL}`)
  }
  if (why.startsWith('Region not accepted')) {
    return before(`There is no such Region (${why}).`, 'Give --region, such as eu-west-1.')
  }
  if (/^(CredentialsProvider|TokenProvider)/.test(why)) {
    const what = `No AWS credentials were found (${fullText(root)}).`
    return before(what, `Sign in, or set AWS_PROFILE. ${LOCAL}`)
  }
  if (REFUSED_CREDENTIALS.test(why)) {
    const next = 'Sign in again, and check the region (--region).'
    return { what: `AWS rejects the credentials (${why}).`, next }
  }
  if (/AccessDenied|AuthorizationError/.test(why)) {
    const next = 'Ask for the permissions of an operator: src/tools/README.md lists them.'
    return { what: `These credentials lack a permission (${why}).`, next }
  }
  if (THROTTLED.test(why)) {
    return { what: `AWS throttles the calls (${why}).`, next: 'Run the command again in a minute.' }
  }
  if (/QueueDoesNotExist|NonExistentQueue/.test(why)) {
    const what = 'There is no such queue in this account and region.'
    return before(what, 'Give its name, URL or ARN, or --region.')
  }
  if (UNREACHABLE.test(why)) return unreachable(why, asked)
  if (hasCode(error, 'STORE_UNAVAILABLE') && why.startsWith('ResourceNotFound')) {
    const what = `There is no table ${asked.table} in this account and region.`
    return before(what, 'Give --table (or set LINECLEAR_TABLE), or --region.')
  }
  return {
    what: fullText(error),
    next: 'Run the command again. If it fails again, the message above names what AWS or the table refuses.',
  }
}

function before(what: string, next: string): ErrorHelp {
  return { what, next, before: true }
}

const LOCAL = 'For the local cloud of npm run demo, give --local.'

function unreachable(why: string, { local }: FailedCommand): ErrorHelp {
  return local
    ? {
        what: `The local cloud of .lineclear/local.json does not answer (${why}).`,
        next: 'Start one with npm run demo -- --broken (or --keep), and leave it running.',
      }
    : {
        what: `AWS does not answer (${why}).`,
        next: `Check the network, the region (--region), and AWS_ENDPOINT_URL_DYNAMODB and AWS_ENDPOINT_URL_SQS if they are set. ${LOCAL}`,
      }
}

function rootOf(error: unknown): unknown {
  let root = error
  while (root instanceof Error && root.cause instanceof Error) root = root.cause
  return root
}

/** A connection to a host with two addresses fails with an error that has a code and no message. */
function whyOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const text = messageOf(error).replace(/^(Error|AggregateError): ?/, '')
  return text.includes(code) ? text : `${code} ${text}`.trim()
}

/** Without the name of its class, if it has a message. */
export function fullText(error: unknown): string {
  return error instanceof Error && error.message !== '' ? error.message : messageOf(error)
}
