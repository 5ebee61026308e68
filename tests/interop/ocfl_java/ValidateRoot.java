// SPDX-License-Identifier: Apache-2.0
// Validates every object of an OCFL storage root with ocfl-java, content digests included.
// Prints one line an object, `valid ID` or `invalid ID`, each issue below it, and last `objects N`.
// Exit status: 0 all valid without a warning, 1 not. It does not look at the root's own hierarchy.

import io.ocfl.api.OcflRepository;
import io.ocfl.api.model.ValidationIssue;
import io.ocfl.api.model.ValidationResults;
import io.ocfl.core.OcflRepositoryBuilder;
import io.ocfl.core.extension.storage.layout.config.HashedNTupleIdEncapsulationLayoutConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

public class ValidateRoot {
    private static int print(String kind, List<ValidationIssue> issues) {
        for (ValidationIssue issue : issues) {
            System.out.println("  " + kind + " " + issue.getCode() + " " + issue.getMessage());
        }
        return issues.size();
    }

    private static boolean validate(OcflRepository repository, String id) {
        ValidationResults results = repository.validateObject(id, true);
        boolean valid = results.getErrors().isEmpty() && results.getWarnings().isEmpty();
        System.out.println((valid ? "valid " : "invalid ") + id);
        print("error", results.getErrors());
        print("warning", results.getWarnings());
        return valid;
    }

    public static void main(String[] arguments) throws Exception {
        Path root = Path.of(arguments[0]);
        Path work = Files.createTempDirectory("ocfl-java");
        OcflRepository repository = new OcflRepositoryBuilder()
                .defaultLayoutConfig(new HashedNTupleIdEncapsulationLayoutConfig())
                .storage(storage -> storage.fileSystem(root))
                .workDir(work)
                .build();
        List<String> ids = repository.listObjectIds().collect(Collectors.toList());
        boolean valid = true;
        for (String id : ids) {
            valid &= validate(repository, id);
        }
        repository.close();
        Files.delete(work);
        System.out.println("objects " + ids.size());
        System.exit(valid ? 0 : 1);
    }
}
