import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import manifest from '../../../package.json' with { type: 'json' }
import { parseText } from '../../../src/tools/doctor/input/parseText.ts'
import { diagnose } from '../../../src/tools/doctor/rules/diagnose.ts'
import { fromTerraform } from '../doctor/from.ts'
import { run } from '../cli/runHere.ts'
import { uncommented } from '../../documents/deploy/samTemplate.ts'
import { planOf } from '../doctor/terraform/planOf.ts'

const TOOLS = ['sam', 'terraform', 'cdk', 'osls'] as const
const CODE = ['src/refund-requests.test.ts', 'src/refund-requests.ts']
const COMMON = ['.gitignore', 'README.md', 'package.json', 'src/dev.ts', ...CODE, 'tsconfig.json']
const OWN = {
  sam: ['src/sweeper.ts', 'template.yaml'],
  terraform: [
    'build.ts',
    'main.tf',
    'modules/consumer/main.tf',
    'modules/sweeper/main.tf',
    'modules/table/main.tf',
    'src/sweeper.ts',
  ],
  cdk: ['app.ts', 'cdk.json'],
  osls: [
    'chunkNames.js',
    'resources/lineclear.yml',
    'resources/refund-requests.yml',
    'serverless.yml',
    'src/sweeper.ts',
  ],
}

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lineclear-init-'))
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

const type = (...args: readonly string[]) => run(args, { cwd: folder })
const read = (path: string): string => readFileSync(join(folder, path), 'utf8')
const held = (): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .toSorted()

describe.each(TOOLS)('lineclear init %s', (tool) => {
  const files = [...COMMON, ...OWN[tool]].toSorted()

  it('shows what it would write, and writes that with --write', async () => {
    const shown = await type('init', tool, 'refund-requests')
    expect(shown).toMatchObject({ code: 0, err: '' })
    expect(shown.out).toContain(
      `Nothing is written yet. To write: lineclear init ${tool} refund-requests --write`,
    )
    expect(held()).toEqual([])

    const written = await type('init', tool, 'refund-requests', '--write')
    expect(written).toMatchObject({ code: 0, err: '' })
    expect(held()).toEqual(files)
    expect(read('.gitignore').split('\n')).toContain('.lineclear')
    const listed = (text: string): readonly string[] => files.filter((file) => text.includes(file))
    expect([listed(shown.out), listed(written.out)]).toEqual([files, files])
  })

  it('leaves nothing of the example in it, neither its name nor its place', async () => {
    await type('init', tool, 'refund-requests', '--write')
    const left = held().filter((file) => /orders|examples\//i.test(read(file)))
    expect(left).toEqual([])
  })

  it('gives exact versions, and scripts that its README names', async () => {
    await type('init', tool, '--write')
    const { dependencies, devDependencies, scripts } = JSON.parse(read('package.json')) as Record<
      'dependencies' | 'devDependencies' | 'scripts',
      Record<string, string>
    >
    const versions = Object.values({ ...dependencies, ...devDependencies })
    expect(versions.filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([])
    expect(dependencies['lineclear']).toBe(manifest.version)
    const named = read('README.md').matchAll(/npm (?:run )?(\w+)/g)
    const missing = [...named].map(([, name = '']) => name).filter((name) => !(name in scripts))
    expect(new Set(missing)).toEqual(new Set(['install']))
    expect(read('README.md')).toContain(`while ${manifest.version} is unreleased: npm install PATH`)
  })

  it('replaces nothing', async () => {
    writeFileSync(join(folder, '.gitignore'), 'mine')
    expect(await type('init', tool, '--write')).toEqual({
      code: 1,
      out: '',
      err: 'lineclear: nothing is written: .gitignore is there already',
    })
    writeFileSync(join(folder, 'package.json'), '{}')
    const why = 'expected an empty folder; it has package.json. Make one: mkdir shop && cd shop'
    expect(await type('init', tool, '--write')).toEqual({
      code: 1,
      out: '',
      err: `lineclear: nothing is written: ${why}`,
    })
    const shown = await type('init', tool)
    expect(shown).toMatchObject({ code: 0, err: '' })
    expect(shown.out).toContain('src/orders.ts')
    expect(shown.out).toContain(`--write\nNot into this folder: ${why}`)
    expect(held()).toEqual(['.gitignore', 'package.json'])
    expect(read('.gitignore')).toBe('mine')
  })

  it('does not write where a symbolic link points', async () => {
    symlinkSync('../elsewhere', join(folder, '.gitignore'))
    expect(await type('init', tool, 'refund-requests', '--write')).toMatchObject({
      err: 'lineclear: nothing is written: .gitignore is there already',
    })
    expect(held()).toEqual([])
  })
})

const NAMES = ['re-mails', 'home-delivery', 'card-refund']

/** What a consumer, a flow and a function add: files, and files that get more. */
const ADDED = {
  sam: { files: [], more: ['template.yaml'] },
  terraform: {
    files: ['modules/function/main.tf', ...NAMES.map((name) => `${name}.tf`)],
    more: ['main.tf'],
  },
  cdk: { files: NAMES.map((name) => `deploy/${name}.ts`), more: ['app.ts'] },
  osls: { files: NAMES.map((name) => `resources/${name}.yml`), more: ['serverless.yml'] },
}

/** Lines that the text after does not have, or not in that order. */
function linesLost(before: string, after: string): readonly string[] {
  const now = after.split('\n')
  let at = -1
  return before.split('\n').filter((line) => {
    const next = now.indexOf(line, at + 1)
    if (next >= 0) at = next
    return next < 0
  })
}

describe.each(TOOLS)(
  'a consumer, a flow and functions in a project of lineclear init %s',
  (tool) => {
    const code = NAMES.flatMap((name) => [`src/${name}.ts`, `src/${name}.test.ts`])
    const add = async (kind: string, name: string): Promise<void> => {
      const shown = await type('init', kind, name)
      expect(shown.out).toContain(`To write: lineclear init ${kind} ${name} --write`)
      expect(await type('init', kind, name, '--write')).toMatchObject({ code: 0, err: '' })
    }

    it('are added: new files, and lines in those that are there, which keep every line', async () => {
      await type('init', tool, 'refund-requests', '--write')
      const before = new Map(held().map((file) => [file, read(file)]))
      await add('consumer', 're-mails')
      await add('flow', 'home-delivery')
      await add('function', 'card-refund')
      const { files, more } = ADDED[tool]
      expect(held()).toEqual([...before.keys(), ...code, ...files].toSorted())
      const changed = [...before].filter(([file, text]) => read(file) !== text)
      expect(changed.map(([file]) => file)).toEqual([...more, 'src/dev.ts'].toSorted())
      for (const [file, text] of changed) {
        expect(linesLost(text, read(file))).toEqual([])
      }
      const left = held().filter((file) => /orders\b|refunds|examples\//i.test(read(file)))
      expect(left).toEqual([])

      await add('function', 'gift-refund')
      expect(await type('init', 'function', 'gift-refund', '--write')).toEqual({
        code: 1,
        out: '',
        err: 'lineclear: nothing is written: src/gift-refund.ts is there already',
      })
    })
  },
)

const dev = (): readonly string[] => read('src/dev.ts').match(/(?<=^ {4})[^\n:]+(?=:)/gm) ?? []

it('adds what npm run dev starts, once: what is there already, or is gone, stays so', async () => {
  await type('init', 'sam', 'refund-requests', '--write')
  await type('init', 'consumer', 're-mails', '--write')
  await type('init', 'flow', 'home-delivery', '--write')
  const consumers = ["'refund-requests'", "'re-mails'", 'pack', 'booked', 'ship']
  const samples = ["'refund-requests'", "'re-mails'", 'pack', 'booked']
  expect(dev()).toEqual([...consumers, ...samples])

  const why = 'stays as it is: it has pack already. Add there what it needs'
  expect((await type('init', 'flow', 'delivery', '--write')).out).toContain(why)
  expect(dev()).toEqual([...consumers, ...samples])
  rmSync(join(folder, 'src/dev.ts'))
  const { out } = await type('init', 'consumer', 'others', '--write')
  expect(out).toMatch(/^src\/dev\.ts +is not there and is not made: npm run dev needs it$/m)
  expect(held()).not.toContain('src/dev.ts')
})

it('adds nothing where no tool deploys', async () => {
  expect(await type('init', 'flow', 'home-delivery', '--write')).toEqual({
    code: 1,
    out: '',
    err: 'lineclear: nothing is written: expected a project of SAM, Terraform, the CDK or osls, with template.yaml, main.tf, app.ts or serverless.yml',
  })
  expect(held()).toEqual([])
})

it.each([
  ['sam', 'delivery-pack', ['flow', 'delivery'], 'template.yaml has DeliveryPackQueue'],
  ['sam', 'refund-2', ['function', 'refund2'], 'template.yaml has Refund2Function'],
  ['osls', 'delivery-pack', ['flow', 'delivery'], 'serverless.yml has deliveryPack'],
])('adds nothing that would take the place of what is there: %s %s', async (...given) => {
  const [tool, name, added, says] = given
  await type('init', tool, name, '--write')
  const before = held()
  const { code, err } = await type('init', ...added, '--write')
  expect({ code, err }).toEqual({
    code: 1,
    err: `lineclear: nothing is written: ${says} already: take another name`,
  })
  expect(held()).toEqual(before)
})

it('names the queue of a consumer for osls, whose name ends in -function', async () => {
  await type('init', 'osls', 'charge-function', '--write')
  const text = read('resources/charge-function.yml')
  expect(text).toContain('\n  ChargeFunctionQueue:\n')
  const known = [...text.matchAll(/^ {2}(\w+):/gm)].map(([, id]) => id)
  const named = [...text.matchAll(/^[^#]*!GetAtt (Charge\w+)\./gm)].map(([, id]) => id)
  expect(named.filter((id) => !known.includes(id) && id !== 'ChargeFunctionLogGroup')).toEqual([])
})

it('says which file it could not write, and leaves what is there as it was', async () => {
  await type('init', 'sam', '--write')
  const template = read('template.yaml')
  rmSync(join(folder, 'src'), { recursive: true })
  writeFileSync(join(folder, 'src'), 'a file')
  const { code, err } = await type('init', 'flow', 'home-delivery', '--write')
  expect(code).toBe(1)
  expect(err).toMatch(/^lineclear: src\/home-delivery\.ts is not written: E[A-Z]+: .*$/)
  expect([read('src'), read('template.yaml')]).toEqual(['a file', template])
})

it('shows what the guide shows', async () => {
  const guide = readFileSync(
    resolve(import.meta.dirname, '../../../src/library/entries/consumer/README.md'),
    'utf8',
  )
  const { out } = await type('init', 'sam', 'refund-requests')
  expect(guide).toContain(`\`\`\`text\n${out}\n\`\`\``)
})

it('SAM finds its bundler in the copy that it builds in, and leaves the packages of the project as they are', async () => {
  await type('init', 'sam', 'orders', '--write')
  const { scripts, dependencies, devDependencies } = JSON.parse(read('package.json')) as Record<
    'scripts' | 'dependencies' | 'devDependencies',
    Record<string, string>
  >
  // In the folder itself it would install without development packages, and remove them there.
  expect(scripts['build']).toBe('sam build')
  expect([dependencies['esbuild'], devDependencies['esbuild']]).toEqual([
    manifest.devDependencies.esbuild,
    undefined,
  ])
})

it('the doctor finds nothing in what it writes for SAM', async () => {
  await type('init', 'sam', 'reorders', '--write')
  await type('init', 'consumer', 're-mails', '--write')
  await type('init', 'flow', 'home-delivery', '--write')
  await type('init', 'function', 'card-refund', '--write')
  const checked = await type('doctor', '--template', join(folder, 'template.yaml'))
  expect(checked).toMatchObject({ code: 0, out: expect.stringContaining('Nothing found.') })
  expect(checked.out).toContain('7 functions, 5 mappings of queues')
  expect(read('template.yaml')).toContain('\n  ReordersQueue:\n')
})

it('the doctor finds nothing in the topics and the route that wait for SAM behind a #', async () => {
  await type('init', 'sam', 'reorders', '--write')
  await type('init', 'consumer', 're-mails', '--write')
  await type('init', 'flow', 'home-delivery', '--write')
  await type('init', 'function', 'card-refund', '--write')
  const text = uncommented(read('template.yaml'))
  writeFileSync(join(folder, 'template.yaml'), text)
  const topics = text.match(/^ {2}\w+Subscription:/gm)
  expect(topics).toEqual(['  ReordersSubscription:', '  ReMailsSubscription:'])
  const variables = text.match(/(?<=\{ )\w+_TOPIC: .*(?= \} \})/g)
  expect(variables).toEqual([
    'REORDERS_TOPIC: !Ref ReordersTopic',
    'RE_MAILS_TOPIC: !Ref ReMailsTopic',
  ])
  const { Resources } = parseText(text) as { Resources: Record<string, { Properties: object }> }
  expect(Resources['CardRefundFunction']?.Properties).toHaveProperty('Events.Post.Type', 'HttpApi')
  const { code, out } = await type('doctor', '--template', join(folder, 'template.yaml'))
  expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining('Nothing found.') })
})

it('the doctor finds in what it writes for Terraform only what no plan shows', async () => {
  await type('init', 'terraform', 'refund-requests', '--write')
  await type('init', 'consumer', 're-mails', '--write')
  await type('init', 'flow', 'home-delivery', '--write')
  await type('init', 'function', 'card-refund', '--write')
  const [, swept = ''] = /sends_to = \[\n([^\]]*)/.exec(read('main.tf')) ?? []
  expect(swept.match(/(?<=module\.)[\w-]+/g)).toEqual([
    'refund-requests',
    're-mails',
    'home-delivery-booked',
  ])
  const modules = ['modules/consumer', 'modules/function', 'modules/sweeper', 'modules/table']
  const roots = ['main.tf', ...NAMES.map((name) => `${name}.tf`)]
  const known = (text: string): string =>
    text.replaceAll('6 * var.timeout', '180').replaceAll('800 * var.timeout', '24000')
  const sources = modules.map((at) => [at, known(read(join(at, 'main.tf')))] as const)
  const plan = planOf({
    '.': roots.map(read).join('\n'),
    ...Object.fromEntries(sources),
  })
  const stages = ['booked', 'pack', 'ship'].map((stage) => `home-delivery-${stage}`)
  const names = [...stages, 're-mails', 'refund-requests']
  expect(diagnose(fromTerraform(plan))).toMatchObject(
    names.map((name) => ({
      severity: 'unchecked',
      subject: `module.${name}.aws_sqs_queue.queue`,
      problem: expect.stringContaining('maxReceiveCount'),
    })),
  )
})

describe('refuses in one line', () => {
  it.each([
    [[], 'expected sam|terraform|cdk|osls|consumer|flow|function, got nothing'],
    [
      ['sams'],
      'expected a tool (sam, terraform, cdk, osls), consumer, flow or function, got "sams"',
    ],
    [['flow'], 'expected NAME, got nothing'],
    [
      ['sam', 'a', 'b'],
      'expected sam|terraform|cdk|osls|consumer|flow|function NAME; got also "b"',
    ],
    [['sam', 'Orders'], 'expected a name of small letters'],
    [['sam', '../up'], 'expected a name of small letters'],
    [['sam', 'sweeper'], 'and none of sweeper, table, lineclear'],
    [['osls', 'lineclear'], 'and none of sweeper, table, lineclear'],
    [['sam', '--force-it'], "Unknown option '--force-it'"],
  ])('%j', async (args, says) => {
    const { code, out, err } = await type('init', ...args)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    const [line, ...more] = err.split('\n')
    expect(line).toContain(says)
    expect(more).toEqual(['See: lineclear init --help'])
    expect(held()).toEqual([])
  })

  it('a folder that cannot be read, also as JSON', async () => {
    rmSync(folder, { recursive: true })
    const { code, err } = await type('init', 'sam', '--write')
    expect({ code, lines: err.split('\n').length }).toEqual({ code: 1, lines: 1 })
    expect(err).toMatch(/^lineclear: nothing is written: ENOENT/)
    const { out } = await type('init', 'sam', '--json')
    expect(JSON.parse(out)).toMatchObject({
      written: false,
      refused: expect.stringMatching('ENOENT'),
    })
  })
})
