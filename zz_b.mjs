import {build} from 'esbuild';import {join} from 'node:path';import {writeFileSync} from 'node:fs'
const root=process.cwd();const door=process.argv[2]??'recordHandler';const cond=process.argv[3]?[process.argv[3]]:[]
const r=await build({stdin:{contents:`export { ${door} } from 'lineclear'; export { dynamoDbStore } from 'lineclear/dynamodb'`,resolveDir:join(root,'test/bench/peers')},conditions:['module',...cond],bundle:true,minify:true,format:'esm',platform:'node',target:'node22',write:false,metafile:true,external:['@aws-sdk/*','@smithy/*'],outdir:'/tmp/o',absWorkingDir:'/'})
const t=r.outputFiles[0].text;writeFileSync('/tmp/out-'+door+(process.argv[3]?'-src':'')+'.js',t)
console.log(t.length,(t.match(/"use strict"/g)||[]).length, r.outputFiles.length)
