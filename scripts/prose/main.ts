import { collectPassages } from './collect.ts';
import { lintPassages } from './lint.ts';

/** Lists what is to be mended in public texts and docstrings; fails if there is something. */
const findings = await lintPassages(collectPassages());
for (const finding of new Set(findings)) console.error(finding);
if (findings.length > 0) console.error('The words of the project: scripts/prose/words.json');
process.exitCode = findings.length > 0 ? 1 : 0;
