/** The numbers of the file interfaces, where the files look for them; the host's sandbox needs the same ones. */
export * from '../../base/fileConstants.js';
