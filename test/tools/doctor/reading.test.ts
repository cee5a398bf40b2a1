import { execFileSync } from 'node:child_process'
import { mkdtemp, mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readDeployment } from '../../../src/tools/doctor/input/readFiles.ts'
import { openReading } from '../../../src/tools/doctor/input/reading.ts'

let place = ''
beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'lineclear-'))
})
afterEach(() => rm(place, { recursive: true }))

async function put(name: string, value: unknown): Promise<string> {
  const file = join(place, name)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, typeof value === 'string' ? value : JSON.stringify(value))
  return file
}

const read = (path: string) =>
  readDeployment(
    [path],
    { tableName: 'lineclear', parameters: {} },
    (_path, error) => error as Error,
  )

const naming = (...urls: readonly string[]) => ({
  Resources: Object.fromEntries(
    urls.map((TemplateURL, nth) => [
      `Nested${nth}`,
      { Type: 'AWS::CloudFormation::Stack', Properties: { TemplateURL } },
    ]),
  ),
})
const QUEUE = { Resources: { Jobs: { Type: 'AWS::SQS::Queue', Properties: {} } } }

describe('the doctor ends', () => {
  it('on a cloud assembly that names itself', async () => {
    const artifacts = ['.', '..', ''].map((directoryName) => ({
      type: 'cdk:cloud-assembly',
      properties: { directoryName },
    }))
    await put('manifest.json', { artifacts: Object.assign({}, artifacts) })
    await expect(read(place)).rejects.toThrow('the folder has no manifest.json')
  })

  it('on files that name each other, and says what it has not read', async () => {
    const names = Array.from({ length: 20 }, (_, nth) => `t${nth}.json`)
    for (const name of names) await put(name, naming(...names))
    const { deployment } = await read(join(place, 't0.json'))
    expect(deployment.unread.length).toBeGreaterThan(20)
  })

  it('on what is no regular file', async () => {
    const fifo = join(place, 'template.json')
    execFileSync('mkfifo', [fifo])
    await expect(read(fifo)).rejects.toThrow('no regular file')
    await expect(read('/dev/zero')).rejects.toThrow('no regular file')
  })

  it('when the time, the files or the bytes of all templates are used up', async () => {
    const file = await put('template.json', QUEUE)
    let now = 0
    const slow = openReading({ now: () => now })
    await slow.text(file)
    now = 10_001
    await expect(slow.text(file)).rejects.toThrow('not read within 10 seconds')
    const many = openReading()
    for (let nth = 0; nth < 300; nth++) await many.text(file)
    await expect(many.text(file)).rejects.toThrow('more than 300 files')
    const large = openReading()
    const long = await put('long.json', ' '.repeat(33_000_000))
    await large.text(long)
    await expect(large.text(long)).rejects.toThrow('more than 64 MB')
  })
})

describe('a template names files of its own folder only:', () => {
  it.each(['../other/child.json', 'link.json'])('%s is not read', async (url) => {
    await put('other/child.json', QUEUE)
    const template = await put('own/template.json', naming(url))
    await symlink(join(place, 'other/child.json'), join(place, 'own/link.json'))
    const { deployment } = await read(template)
    expect(deployment.queues).toEqual([])
  })

  it('one beside it, or below, is', async () => {
    await put('own/below/child.json', QUEUE)
    const template = await put('own/template.json', naming('below/child.json'))
    const { deployment } = await read(template)
    expect(deployment.queues).toHaveLength(1)
  })
})

it('a large text that is no JSON is no YAML of CloudFormation either', async () => {
  const long = await put('template.yaml', `a: ${'x'.repeat(2_000_001)}`)
  await expect(read(long)).rejects.toThrow('YAML of more than 2000000 characters')
  const broken = await put('plan.json', `{"a":"${'x'.repeat(2_000_001)}"`)
  await expect(read(broken)).rejects.toThrow('JSON')
})
