/** The environment of a Node.js process that a test starts in the repository, without the settings of this process. */
export const childEnvironment = { PATH: process.env.PATH ?? '', NODE_COMPILE_CACHE: 'node_modules/.cache/node' };
