import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type CrashCloud, exploreCrashes } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { interventions } from '../../../examples/wild/accountInterventions/handler.ts'
import { ingestion } from '../../../examples/wild/constructHub/handler.ts'
import { records } from '../../../examples/wild/cumulusRecords/handler.ts'
import { submissions } from '../../../examples/wild/formSubmissions/handler.ts'
import { scaleUp } from '../../../examples/wild/githubRunner/handler.ts'
import { notices } from '../../../examples/wild/prescriptionNotices/handler.ts'

const givenBy = ({ store, clients, clock, logger }: CrashCloud) => ({
  store,
  clients,
  clock,
  logger,
})
const keyed = (idempotencyKey: string) => ({ idempotencyKey })

const tarball = {
  tarballUri: 's3://staging/a/1.0.0.tgz',
  integrity: 'sha384-a',
  time: '2026-01-01T00:00:00Z',
}
const job = { id: 1, eventType: 'workflow_job', repositoryOwner: 'o', repositoryName: 'r' }
const change = { event_timestamp_ms: 1, user: { user_id: 'u1' } }

describe.each([
  {
    name: 'constructHub',
    message: tarball,
    build: (cloud: CrashCloud) =>
      ingestion(givenBy(cloud), {
        put: (key) => cloud.outside('put', keyed(key)),
        start: (name) => cloud.outside('start', keyed(name)),
      }),
  },
  {
    name: 'githubRunner',
    message: job,
    build: (cloud: CrashCloud) =>
      scaleUp(givenBy(cloud), {
        isQueued: async () => true,
        run: (owner, token) => cloud.outside('run', keyed(token), owner),
        putParameter: (instance) => cloud.outside('parameter', keyed(instance)),
      }),
  },
  {
    name: 'formSubmissions',
    message: { submissionID: 's1', formID: 'f1' },
    build: (cloud: CrashCloud) =>
      submissions(givenBy(cloud), {
        noticesUrl: cloud.queueUrl('notices'),
        copyFiles: (id) => cloud.outside('copy', keyed(id)),
        remove: (id) => cloud.outside('remove', keyed(id)),
      }),
  },
  {
    name: 'accountInterventions',
    message: { ...change, event_id: 'e1', event_name: 'SUSPENDED' },
    build: (cloud: CrashCloud) => interventions(givenBy(cloud), cloud.queueUrl('audit')),
  },
  {
    name: 'cumulusRecords',
    message: { execution: 'x1', status: 'completed', granules: ['g1', 'g2'] },
    build: (cloud: CrashCloud) => records(givenBy(cloud), cloud.sql, cloud.topicArn('executions')),
  },
  {
    name: 'prescriptionNotices',
    message: { RequestID: 'r1', PatientNHSNumber: 'p1', PharmacyODSCode: 'o1', Status: 'ready' },
    build: (cloud: CrashCloud) =>
      notices(givenBy(cloud), (patient, reference) =>
        cloud.outside('notify', keyed(reference), patient),
      ),
  },
])('$name', ({ name, message, build }) => {
  it('loses and doubles nothing, wherever it crashes', async () => {
    const report = await exploreCrashes(build, message, { together: 1 })
    const { lost, doubled, stale, stuck, complete, schedules } = report
    expect({ lost, doubled, stale, stuck, complete }).toEqual({
      lost: 0,
      doubled: 0,
      stale: 0,
      stuck: 0,
      complete: true,
    })
    expect(schedules).toBeGreaterThan(50)
  }, 600_000)

  it('is a handler of 40 lines at most', () => {
    const path = resolve(import.meta.dirname, `../../../examples/wild/${name}/handler.ts`)
    const [, handler = ''] = readFileSync(path, 'utf8').split(/^(?=export function)/m)
    expect(handler).toContain('recordHandler(')
    expect(readFileSync(path, 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(40)
  })
})

it('each port is explored', () => {
  const root = resolve(import.meta.dirname, '../../../examples/wild')
  expect(globSync('*/handler.ts', { cwd: root })).toHaveLength(6)
})
