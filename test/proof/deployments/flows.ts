import type { Row } from './flowRows.ts'
import { audit, stuck } from './ledger.ts'
import { type Deployment, type Scenario, type Script, scenariosWith, type Twist } from './play.ts'
import { codeOf, type Path, request } from './trips.ts'
import type { Rig } from './rig.ts'

export const PATHS: Readonly<Record<string, Path>> = {
  'newest, defer, started': { by: 'start', process: 'newest', onConflict: 'defer' },
  'newest, drop, with id(payload)': {
    by: 'sending',
    id: true,
    process: 'newest',
    onConflict: 'drop',
  },
  'newest, supersede, sent': { by: 'sending', process: 'newest', onConflict: 'supersede' },
  'newest, coalesce, by SNS': { by: 'SNS', process: 'newest', onConflict: 'coalesce' },
  'newest, supersede, FIFO': {
    by: 'start',
    fifo: true,
    process: 'newest',
    onConflict: 'supersede',
  },
  'every, defer, with id(payload)': {
    by: 'sending',
    id: true,
    process: 'every',
    onConflict: 'defer',
  },
  'every, defer, by SNS': { by: 'SNS', process: 'every', onConflict: 'defer' },
  'every, drop, sent': { by: 'sending', process: 'every', onConflict: 'drop' },
  'every, defer, FIFO': { by: 'start', fifo: true, process: 'every', onConflict: 'defer' },
}

export function scriptOf(row: Row, path: Path): Script {
  const roles = row.now.stages ?? ['book', 'pay']
  const before = row.old.stages ?? ['book', 'pay']
  return {
    scenarios: scenariosOf(row, path),
    deploy: (rig) => deploymentOf(rig, row, path),
    request: (rig, which) => request(rig, which, path),
    judge: (rig, { twist }) => {
      const hasRival = twist === 'overtaken' || twist === 'followed'
      const refuses = row.refused === true || row.renames === true
      const all = new Set([...roles, ...before])
      const auditOf = (tx: string, mayRefuse: boolean): readonly string[] =>
        [...all].flatMap((role) => {
          const surely = roles.includes(role) && before.includes(role)
          return audit(rig, `${tx}/${role}`, { most: 1, least: surely ? 1 : 0, mayRefuse })
        })
      return [
        ...auditOf('t1', refuses || hasRival),
        ...(hasRival ? auditOf('t2', refuses || path.onConflict === 'drop') : []),
        ...stuck(rig, row.holds === true),
      ]
    },
  }
}

function scenariosOf(
  { renames = false, identified = false }: Row,
  { by, id = false, fifo = false }: Path,
): readonly Scenario[] {
  if (identified && by === 'sending' && !id) return []
  if (renames) return fifo ? [] : scenariosWith('plain', 'twice')
  const others: readonly Twist[] = by === 'sending' && !id ? [] : ['repeated', 'crossed']
  return scenariosWith('plain', 'twice', ...others, 'overtaken', 'followed')
}

function deploymentOf(rig: Rig, row: Row, path: Path): Deployment {
  const { old, bad, now, leftOver, deliveries, pause, renames } = row
  const rest = leftOver === undefined ? {} : codeOf(rig, leftOver, path).handlers
  const last = codeOf(rig, now, path)
  const first = {
    code: codeOf(rig, old, path),
    ...(deliveries === undefined ? {} : { deliveries }),
  }
  const middle = bad === undefined ? [] : [{ code: codeOf(rig, bad, path) }]
  return {
    codes: [first, ...middle, { code: { ...last, handlers: { ...rest, ...last.handlers } } }],
    ...(pause === undefined ? {} : { pause }),
    ...(renames === undefined ? {} : { renames }),
  }
}
