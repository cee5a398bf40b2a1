import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../..')
/** What an application has that installed lineclear with its required peers, and nothing else. */
const INSTALLED = ['@aws-sdk/client-sqs', '@aws-sdk/client-dynamodb', 'ulid']

const PUBLISHES = `
import { recordHandler } from 'lineclear'
import { memoryStore, sqsEvent } from 'lineclear/testing'

const silent = { debug() {}, info() {}, warn() {}, error() {} }
const sqs = {
  send: async ({ input }) => {
    console.log(input.Entries[0].MessageAttributes.lineclear.StringValue)
    return { Successful: [{ Id: '0' }] }
  },
}
const handler = recordHandler(
  { name: 'orders', store: memoryStore(), clients: { sqs }, deadLetterQueueUrl: 'https://sqs/1/dead', logger: silent },
  (_, ctx) => ctx.publish('arn:aws:sns:eu-west-1:1:t', 1),
)
await handler(sqsEvent([{}]), {})
`

let application: string
beforeAll(async () => {
  application = await mkdtemp(join(tmpdir(), 'lineclear-peers-'))
  const link = async (target: string, name: string): Promise<void> => {
    const path = join(application, 'node_modules', name)
    await mkdir(dirname(path), { recursive: true })
    await symlink(target, path)
  }
  await link(join(ROOT, 'src'), 'lineclear/src')
  await link(join(ROOT, 'package.json'), 'lineclear/package.json')
  for (const name of INSTALLED) await link(join(ROOT, 'node_modules', name), name)
})
afterAll(() => rm(application, { recursive: true, force: true }))

async function bundle(contents: string, outfile: string): Promise<void> {
  await build({
    stdin: { contents, resolveDir: application },
    outfile,
    absWorkingDir: application,
    // Else the packages beside this repository would be found.
    preserveSymlinks: true,
    conditions: ['lineclear:source'],
    bundle: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'silent',
    external: ['@aws-sdk/client-sqs', '@aws-sdk/client-dynamodb'],
  })
}

it('where @aws-sdk/client-sns is not installed a function can be bundled, and publishing says what to install', async () => {
  const outfile = join(application, 'handler.mjs')
  await bundle(PUBLISHES, outfile)
  const bundled = await readFile(outfile, 'utf8')
  expect(bundled).toContain('import("@aws-sdk/client-sns")')
  const { stdout } = await promisify(execFile)(process.execPath, [outfile])
  const { reason, error, attempts } = JSON.parse(stdout)
  expect({ reason, attempts }).toEqual({ reason: 'terminal', attempts: 1 })
  expect(error).toContain('npm install @aws-sdk/client-sns')
})

it('so can a worker that runs outside Lambda', async () => {
  const contents = "export { runWorker } from 'lineclear/worker'"
  await expect(bundle(contents, join(application, 'worker.mjs'))).resolves.toBeUndefined()
})
