import { valueOf } from '../address.ts'
import { address } from '../route.ts'
import { DoubtList } from './doubts/DoubtList.tsx'
import { GroupDoubt } from './doubts/GroupDoubt.tsx'
import { OneDoubt } from './doubts/OneDoubt.tsx'

export function Doubts() {
  const { query } = address.value
  const [id, group] = [valueOf(query['id']), valueOf(query['group'])]
  if (id !== '') return <OneDoubt key={id} id={id} />
  return group === '' ? <DoubtList /> : <GroupDoubt group={group} />
}
