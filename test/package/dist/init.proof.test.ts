import { cp, mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { build, type Format } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseText } from '../../../src/tools/doctor/input/parseText.ts'
import { binary, installPacked, linkOptionalPeers, linkPackages, makeProject } from './install.ts'
import { run } from './run.ts'

const REPOSITORY = resolve(import.meta.dirname, '../../..')
const NAME = 'refund-requests'
/** What `npm install` would put beside Lineclear and its optional peers. */
const INSTALLED = ['.bin', 'esbuild', 'osls', 'serverless-esbuild', 'typescript', 'vitest', 'zod']

let project: Awaited<ReturnType<typeof makeProject>>

beforeAll(async () => {
  project = await makeProject()
  await installPacked(project)
  await linkOptionalPeers(project)
  await linkPackages(project, INSTALLED)
  // The CDK asks for one.
  await cp(join(REPOSITORY, 'package-lock.json'), join(project.directory, 'package-lock.json'))
})

afterAll(() => rm(project.directory, { recursive: true, force: true }))

/** Bundles as the tool does. @returns the bundles, and what the doctor is to read */
type Build = (folder: string) => Promise<{
  readonly bundles: readonly string[]
  readonly template: string | undefined
}>

const BUILDS: Readonly<Record<string, Build>> = {
  sam: async (folder) => {
    const template = join(folder, 'template.yaml')
    const bundles = await bundleAsSam(folder, await readFile(template, 'utf8'))
    return { bundles, template }
  },
  terraform: async (folder) => {
    await run(binary('node'), ['build.ts'], folder)
    const zipped = (await readdir(join(folder, 'dist'))).filter((name) => name.endsWith('.zip'))
    const at = (zip: string): string => join(folder, 'dist', zip.replace('.zip', ''), 'index.mjs')
    // A plan needs the provider.
    return { bundles: zipped.map(at), template: undefined }
  },
  cdk: async (folder) => {
    const template = join(folder, 'cdk.out')
    await run('env', [`CDK_OUTDIR=${template}`, binary('node'), 'app.ts'], folder)
    const assets = (await readdir(template)).filter((name) => name.startsWith('asset.'))
    return { bundles: assets.map((name) => join(template, name, 'index.mjs')), template }
  },
  osls: async (folder) => {
    await run(binary('osls'), ['package'], folder)
    const template = join(folder, '.serverless')
    const zips = (await readdir(template)).filter((name) => name.endsWith('.zip'))
    const bundles = zips.map(async (zip) => {
      const at = join(folder, 'unzipped', zip)
      await mkdir(at, { recursive: true })
      await run('unzip', ['-q', join(template, zip), '-d', at], folder)
      const files = await readdir(join(at, 'src'))
      // Beside it are the files that it loads later, named after it, and maps.
      return files.filter((file) => /^[\w-]+\.mjs$/.test(file)).map((file) => join(at, 'src', file))
    })
    return {
      bundles: (await Promise.all(bundles)).flat(),
      template,
    }
  },
}

describe.each(Object.keys(BUILDS))(
  'a project of lineclear init %s, with another consumer, a flow and a function',
  (tool) => {
    const folder = (): string => join(project.directory, tool)

    it('is written, compiles, and its test passes', async () => {
      await mkdir(folder())
      const command = join(project.package, 'dist/tools/cli/main.js')
      for (const what of [
        [tool, NAME],
        ['consumer', 're-mails'],
        ['flow', 'home-delivery'],
        ['function', 'card-refund'],
      ]) {
        await run(binary('node'), [command, 'init', ...what, '--write'], folder())
      }
      await expect(run(binary('tsc'), ['-p', '.'], folder())).resolves.toBe('')
      await expect(run(binary('vitest'), ['run'], folder())).resolves.toContain('4 passed')
    })

    it('is built into functions that load, the consumer takes a record, and the doctor finds nothing', async () => {
      const { bundles, template } = await BUILDS[tool]!(folder())
      const exported = await Promise.all(bundles.map((bundle) => namesOf(bundle, folder())))
      expect([...new Set(exported.map((names) => names.join()))].toSorted()).toEqual([
        'booked,flow,pack,ship,stages',
        'consumer,handler',
        'handler',
        'handler,refunder',
      ])
      const consumer = bundles[exported.findIndex((names) => names.includes('consumer'))] ?? ''
      expect(await chargesOf(consumer, folder())).toEqual([{ batchItemFailures: [] }, 1])
      if (template === undefined) return
      const command = join(project.package, 'dist/tools/cli/main.js')
      await expect(
        run(binary('node'), [command, 'doctor', '--template', template], folder()),
      ).resolves.toContain('Nothing found.')
    })
  },
)

async function namesOf(bundle: string, folder: string): Promise<string[]> {
  return evaluated(
    `console.log(JSON.stringify(Object.keys(await import(${JSON.stringify(bundle)}))))`,
    folder,
  )
}

/** @returns what two deliveries of one message answer in the end, and how many charges they make */
async function chargesOf(bundle: string, folder: string): Promise<unknown> {
  return evaluated(
    `
    import { memoryStore, sqsEvent } from 'lineclear/testing'
    const { consumer } = await import(${JSON.stringify(bundle)})
    let charges = 0
    const logger = { debug() {}, info() {}, warn() {}, error() {} }
    const handler = consumer({ store: memoryStore(), logger }, async () => 'receipt ' + ++charges)
    const event = sqsEvent({ orderId: 'o1', amount: 5 })
    await handler(event, {})
    console.log(JSON.stringify([await handler(event, {}), charges]))`,
    folder,
  )
}

const ENVIRONMENT = {
  AWS_REGION: 'eu-central-1',
  LINECLEAR_TABLE: 'lineclear',
  PACK_QUEUE: 'https://sqs.eu-central-1.amazonaws.com/123456789012/pack',
  BOOKED_QUEUE: 'https://sqs.eu-central-1.amazonaws.com/123456789012/booked',
  SHIP_QUEUE: 'https://sqs.eu-central-1.amazonaws.com/123456789012/ship',
}

async function evaluated<T>(code: string, folder: string): Promise<T> {
  const env = Object.entries(ENVIRONMENT).map(([name, value]) => `${name}=${value}`)
  const args = [...env, binary('node'), '--input-type=module', '--eval', code]
  const printed = await run('env', args, folder)
  return JSON.parse(printed.trim().split('\n').at(-1) ?? '') as T
}

interface SamFunction {
  readonly Type: string
  readonly Metadata?: {
    readonly BuildProperties: {
      readonly Format: Format
      readonly OutExtension: readonly string[]
      readonly Target: string
      readonly MainFields: string
      readonly Minify: boolean
      readonly EntryPoints: readonly string[]
      readonly Banner: readonly string[]
    }
  }
}

/** As `sam build` calls esbuild, by what the template says. */
async function bundleAsSam(folder: string, template: string): Promise<readonly string[]> {
  const { Resources } = parseText(template) as { Resources: Record<string, SamFunction> }
  const found = Object.entries(Resources).flatMap(([id, { Metadata }]) =>
    Metadata === undefined ? [] : [{ id, ...Metadata.BuildProperties }],
  )
  const built = found.map(async ({ id, ...says }) => {
    const outdir = join(folder, '.aws-sam/build', id)
    await build({
      absWorkingDir: folder,
      outdir,
      bundle: true,
      platform: 'node',
      format: says.Format,
      target: says.Target,
      minify: says.Minify,
      entryPoints: [...says.EntryPoints],
      mainFields: says.MainFields.split(','),
      outExtension: byName(says.OutExtension),
      banner: byName(says.Banner),
    })
    const [file = ''] = await readdir(outdir)
    return join(outdir, file)
  })
  return Promise.all(built)
}

/** `.js=.mjs` */
function byName(pairs: readonly string[]): Record<string, string> {
  const split = (pair: string): [string, string] => {
    const at = pair.indexOf('=')
    return [pair.slice(0, at), pair.slice(at + 1)]
  }
  return Object.fromEntries(pairs.map(split))
}
