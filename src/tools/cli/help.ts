import type { CliCommand } from './command.ts'

export function helpText(commands: readonly CliCommand[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length))
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`)
  return `lineclear [OPTIONS] COMMAND …

${lines.join('\n')}

lineclear COMMAND --help explains one command.

  --table NAME    the table (default: LINECLEAR_TABLE, or lineclear)
  --region REGION the AWS Region (default: as the SDK finds it); AWS_ENDPOINT_URL_DYNAMODB and AWS_ENDPOINT_URL_SQS are used if set
  --local         use the local cloud described in .lineclear/local.json
  --version       print the version of the package
  --json          print one JSON object on standard output, for scripts: version 1, times in ISO 8601
  --apply PLAN    make the change that was shown under this name; without it only the plan is shown
  --by WHO        who makes the change, recorded on the item (default: the user of this machine)
  --why TEXT      why, recorded on the item
  --force         make the change even if an attempt holds the lease; that attempt can then write nothing more

Exit codes: 0 done, or nothing to do; 1 something found, or a change refused; 2 wrong arguments;
3 no answer from the table or AWS; 4 not found.`
}
