import type { CliCommand } from './command.ts'

export function helpText(commands: readonly CliCommand[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length))
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`)
  return `lineclear [OPTIONS] COMMAND …

${lines.join('\n')}

lineclear COMMAND --help tells more of one.

  --table NAME    the table (default: LINECLEAR_TABLE, or lineclear)
  --region REGION as the SDK finds it by default; AWS_ENDPOINT_URL_DYNAMODB and AWS_ENDPOINT_URL_SQS are heeded
  --local         the local cloud that .lineclear/local.json names
  --json          for machines: one JSON value on standard output
  --apply, --yes  carry the change out; without it only the plan is shown
  --by WHO        recorded with the change (default: the user of this machine)
  --why TEXT      recorded with the change
  --force         also against an attempt whose lease is not over

Exit codes: 0 done, or nothing to do; 1 something found, or a change refused; 2 wrong arguments;
3 the table or AWS gives no answer; 4 not found.`
}
