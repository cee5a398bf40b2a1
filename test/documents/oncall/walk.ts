import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { Lambda } from '@aws-sdk/client-lambda'
import { SNS } from '@aws-sdk/client-sns'
import { systemClock } from '../../../src/library/base/clock.ts'
import { runCli } from '../../../src/tools/cli/runCli.ts'
import { type Site, TABLE } from './site.ts'

/** Types the commands one after the other. @returns all that they print, each after its line */
export async function walk(site: Site, commands: readonly string[]): Promise<string> {
  let printed = ''
  for (const command of commands) {
    const group = /(?:^|--group )([0-9a-f]{8})\b/m.exec(printed)?.[1] ?? 'GROUP'
    const words = command.replace('GROUP', group)
    const text = words === 'log' ? readFileSync(site.log, 'utf8') : await typed(site, words)
    printed += `$ ${words}\n${text}\n`
  }
  return printed
}

/** Types the commands, and applies each plan that one of them prints. */
export async function carryOut(site: Site, commands: readonly string[]): Promise<string> {
  let printed = ''
  for (const command of commands) {
    const text = await typed(site, command)
    const plan = /--apply ([0-9a-f]+)/.exec(text)?.[1]
    printed += `$ ${command}\n${text}\n`
    if (plan !== undefined) printed += await typed(site, `${command} --apply ${plan}`)
  }
  return printed
}

async function typed({ cloud, lambda: { endpoint } }: Site, words: string): Promise<string> {
  const lines: string[] = []
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
  const lambda = new Lambda({ endpoint, region: cloud.region, credentials })
  const sns = new SNS({ endpoint: cloud.endpoints.sns ?? '', region: cloud.region, credentials })
  await runCli(['--by', 'ann', ...words.split(' ')], {
    out: (line) => void lines.push(line),
    err: (line) => void lines.push(line),
    terminal: { write: () => {} },
    stdin: Readable.from([]),
    width: undefined,
    env: { LINECLEAR_TABLE: TABLE },
    cwd: '/nowhere',
    clock: systemClock,
    user: () => 'ann',
    version: () => '1.2.3',
    dynamodb: cloud.dynamodb,
    sqs: cloud.sqs,
    lambda,
    sns,
    mappings: lambda,
  })
  return lines.join('\n')
}
